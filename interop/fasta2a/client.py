"""The client of FastA2A, driven by `parley grade --harness ndjson`: JSON-RPC. It has send, stream and get, no more."""

import sys
import uuid
from pathlib import Path

import httpx
from fasta2a.client import A2AClient

sys.path.insert(0, str(Path(__file__).parent.parent))
from client_harness import Unsupported, serve_harness, text_in  # noqa: E402

TIMEOUT_SECONDS = 30
# Made once: reading the certificates takes longer than a scenario.
TRUSTED = httpx.create_ssl_context()


class Refused(Exception):
    def __init__(self, error):
        super().__init__(error.get('message'))
        self.code = error.get('code')


class SdkClient:
    def __init__(self, client):
        card = client.agent_card or {}
        capabilities = card.get('capabilities', {})
        self.card = {
            'name': card.get('name', ''),
            'streaming': capabilities.get('streaming', True),
            'push_notifications': capabilities.get('push_notifications', False),
        }
        self._client = client

    async def send(self, said):
        return event_of(result_of(await self._client.send_message(message_from(said))))

    async def stream(self, said):
        async for response in self._client.stream_message(message_from(said)):
            yield event_of(result_of(response))

    async def get(self, task_id):
        return task_of(result_of(await self._client.get_task(task_id)))

    async def _cannot(self, *_):
        raise Unsupported

    cancel = list = push = _cannot

    async def subscribe(self, task_id):
        raise Unsupported
        yield


async def connect(request):
    intent = request['intent']
    if intent.get('credentials', {}).get('apiKey') or intent.get('extensions') or intent['do'] in ('cancel', 'list', 'push', 'subscribe'):
        raise Unsupported
    token = intent.get('credentials', {}).get('bearer')
    headers = {'Authorization': f'Bearer {token}'} if token else {}
    http = httpx.AsyncClient(timeout=TIMEOUT_SECONDS, verify=TRUSTED, headers=headers)
    try:
        client = A2AClient(request['url'], http_client=http, fetch_card=True)
    except ValueError:
        # It cannot use a card of 0.3, whose methods it calls; an author gives it the URL then.
        client = A2AClient(request['url'], http_client=http)
    return SdkClient(client)


def result_of(response):
    if 'error' in response:
        raise Refused(response['error'])
    return response['result']


def message_from(said):
    parts = said.get('parts') or [{'text': said.get('text', '')}]
    message = {'kind': 'message', 'role': 'user', 'message_id': str(uuid.uuid4()), 'parts': [part_from(part) for part in parts]}
    for name, member in (('taskId', 'task_id'), ('contextId', 'context_id'), ('referenceTaskIds', 'reference_task_ids')):
        if said.get(name):
            message[member] = said[name]
    return message


def part_from(part):
    if 'text' in part:
        return {'kind': 'text', 'text': part['text']}
    if 'data' in part:
        return {'kind': 'data', 'data': part['data']}
    return {'kind': 'file', 'file': {'bytes': part['raw'], 'mime_type': part.get('mediaType', '')}}


def event_of(result):
    kind = result['kind']
    if kind == 'message':
        return {'message': {'text': text_of(result), 'contextId': result.get('context_id')}}
    if kind == 'task':
        return {'task': task_of(result)}
    place = {'taskId': result['task_id'], 'contextId': result.get('context_id')}
    if kind == 'status-update':
        return {'status': {**place, **status_of(result['status'])}}
    return {'artifact': {**place, 'artifact': artifact_of(result['artifact']), 'append': result.get('append', False)}}


def task_of(task):
    artifacts = [artifact_of(each) for each in task.get('artifacts', [])]
    return {'id': task['id'], 'contextId': task.get('context_id'), **status_of(task['status']), 'artifacts': artifacts}


def status_of(status):
    return {'state': status['state'], 'text': text_of(status.get('message') or {})}


def artifact_of(artifact):
    return {'id': artifact['artifact_id'], 'parts': [part_of(part) for part in artifact['parts']]}


def text_of(message):
    return text_in([part_of(part) for part in message.get('parts', [])])


def part_of(part):
    if part['kind'] == 'text':
        return {'text': part['text']}
    if part['kind'] == 'data':
        return {'data': part['data']}
    return {'bytes': part['file'].get('bytes', '').encode(), 'mediaType': part['file'].get('mime_type')}


if __name__ == '__main__':
    serve_harness(connect)
