"""The RemoteA2aAgent of google-adk, driven by `parley grade --harness ndjson`: it sends, and goes on in a session."""

import logging
import sys
import warnings
from pathlib import Path

warnings.filterwarnings('ignore')
logging.disable(logging.CRITICAL)

import httpx  # noqa: E402
from google.adk.agents.remote_a2a_agent import RemoteA2aAgent  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.genai import types  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent.parent))
from client_harness import Unsupported, serve_harness  # noqa: E402

APP = 'graded'
USER = 'user'
# Made once: reading the certificates takes longer than a scenario.
TRUSTED = httpx.create_ssl_context()


class SdkClient:
    """One agent in one session; everything said goes to it, as in an application of ADK."""

    card = {'name': '', 'streaming': False, 'push_notifications': False}

    def __init__(self, runner, session):
        self._runner = runner
        self._session = session

    async def send(self, said):
        content = types.Content(role='user', parts=[part_from(part) for part in said.get('parts') or [{'text': said.get('text', '')}]])
        texts = []
        task = None
        async for event in self._runner.run_async(user_id=USER, session_id=self._session.id, new_message=content):
            if event.error_code or event.error_message:
                raise RuntimeError(event.error_message or event.error_code)
            # Of tasks and their states ADK only keeps what came, as metadata of the event.
            response = (event.custom_metadata or {}).get('a2a:response')
            if isinstance(response, dict) and 'status' in response:
                task = response
            for part in (event.content.parts if event.content else None) or []:
                if part.text and not part.thought:
                    texts.append(part.text)
        if task is None:
            return {'message': {'text': ''.join(texts)}}
        state = str(task['status'].get('state', 'unspecified'))
        # ADK keeps the conversation itself: the session knows the ids.
        return {'task': {'id': task.get('id', ''), 'state': state, 'text': ''.join(texts), 'artifacts': None}}

    async def get(self, task_id):
        raise RuntimeError('ADK does not ask for a task again')


async def connect(request):
    intent = request['intent']
    if intent['do'] not in ('send', 'continue') or intent.get('extensions') or intent.get('taskId') or intent.get('credentials', {}).get('apiKey'):
        raise Unsupported
    token = intent.get('credentials', {}).get('bearer')
    headers = {'Authorization': f'Bearer {token}'} if token else {}
    http = httpx.AsyncClient(timeout=30, verify=TRUSTED, headers=headers)
    agent = RemoteA2aAgent(name='graded', agent_card=request['cardUrl'], httpx_client=http)
    runner = InMemoryRunner(agent=agent, app_name=APP)
    session = await runner.session_service.create_session(app_name=APP, user_id=USER)
    return SdkClient(runner, session)


def part_from(part):
    if 'text' in part:
        return types.Part(text=part['text'])
    raise Unsupported


if __name__ == '__main__':
    serve_harness(connect)
