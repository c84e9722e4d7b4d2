"""A suite in Python drives the mock over its control interface, with nothing but the standard library.

    python3 -m pytest test_mock_agent.py
    python3 -m unittest test_mock_agent.py

PARLEY is the command that runs Parley; `npx a2a-parley` unless set.
"""

import json
import os
import shlex
import subprocess
import unittest
import urllib.error
import urllib.request
import uuid

SCRIPT = """
rules:
  - id: report
    match: { text: report }
    turns: [[{ status: working }, { complete: "Here it is." }]]
"""


class MockAgent:
    """A running `parley mock`; `session` keeps tests apart."""

    def __init__(self):
        command = shlex.split(os.environ.get("PARLEY", "npx a2a-parley"))
        self.process = subprocess.Popen(
            [*command, "mock", "-o", "json", "--quiet"], stdout=subprocess.PIPE, text=True
        )
        ready = json.loads(self.process.stdout.readline())
        self.url, self.admin_url, self.token = ready["url"], ready["adminUrl"], ready["adminToken"]

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()

    def control(self, method, path, session, body=None, content_type="application/json"):
        data = None if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        request = urllib.request.Request(
            f"{self.admin_url}{path}?session={session}",
            method=method,
            data=data,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": content_type},
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def session_url(self, session):
        return f"{self.url}/__session/{session}"


def ask(url, text):
    """Stands for the code under test."""
    message = {"messageId": str(uuid.uuid4()), "role": "ROLE_USER", "parts": [{"text": text}]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    request = urllib.request.Request(
        url, data=json.dumps(call).encode(), headers={"Content-Type": "application/json", "A2A-Version": "1.0"}
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mock = MockAgent()

    @classmethod
    def tearDownClass(cls):
        cls.mock.stop()

    def setUp(self):
        self.session = f"test-{uuid.uuid4()}"
        self.url = self.mock.session_url(self.session)
        self.mock.control("PUT", "script", self.session, SCRIPT, "application/yaml")

    def tearDown(self):
        self.mock.control("DELETE", "session", self.session)

    def test_plays_the_script(self):
        task = ask(self.url, "report please")["result"]["task"]
        self.assertEqual(task["status"]["state"], "TASK_STATE_COMPLETED")
        verdict = self.mock.control("POST", "verify", self.session, {"rule": "report", "times": 1})
        self.assertEqual(verdict, {"ok": True, "problems": []})

    def test_tells_what_had_no_answer(self):
        self.assertIn("error", ask(self.url, "something else"))
        verdict = self.mock.control("POST", "verify", self.session, {})
        self.assertFalse(verdict["ok"])
        self.assertIn("the nearest is 'report'", verdict["problems"][0])

    def test_breaks_on_order(self):
        self.mock.control(
            "POST", "faults", self.session, {"do": "http-status", "with": {"status": 503}, "count": 1}
        )
        with self.assertRaises(urllib.error.HTTPError) as raised:
            ask(self.url, "report please")
        self.assertEqual(raised.exception.code, 503)
        raised.exception.close()
        entries = self.mock.control("GET", "journal", self.session)
        self.assertEqual([entry["fault"] for entry in entries], ["http-status"])


if __name__ == "__main__":
    unittest.main()
