"""The client of the Python SDK a2a-sdk 0.3.x, driven by `parley grade --harness ndjson`: JSON-RPC, REST and gRPC of 0.3.

The SDK folds streams itself and hands out the task with every event, so the harness takes it from there.
"""

import base64
import sys
import uuid
from pathlib import Path

import grpc.aio
import httpx

from a2a.client import A2ACardResolver, AuthInterceptor, ClientConfig, ClientFactory, CredentialService
from a2a.types import (
    DataPart,
    FilePart,
    FileWithBytes,
    FileWithUri,
    Message,
    Part,
    PushNotificationConfig,
    Role,
    TaskIdParams,
    TaskPushNotificationConfig,
    TaskQueryParams,
    TextPart,
    TransportProtocol,
)

sys.path.insert(0, str(Path(__file__).parent.parent))
from client_harness import Unsupported, serve_harness, text_in  # noqa: E402

TIMEOUT_SECONDS = 30
# Made once: reading the certificates takes longer than a scenario.
TRUSTED = httpx.create_ssl_context()


class OneCredential(CredentialService):
    """What the user has, whichever scheme asks."""

    def __init__(self, secret):
        self.secret = secret

    async def get_credentials(self, security_scheme_name, context):
        return self.secret


class SdkClient:
    def __init__(self, card, client, once):
        capabilities = card.capabilities
        self.card = {
            'name': card.name,
            'streaming': capabilities.streaming is True,
            'push_notifications': capabilities.push_notifications is True,
        }
        self._client = client
        self._once = once

    async def send(self, said):
        async for event in self._once.send_message(message_from(said)):
            return answer_of(event)

    async def stream(self, said):
        async for event in self._client.send_message(message_from(said)):
            yield answer_of(event)

    async def subscribe(self, task_id):
        async for event in self._client.resubscribe(TaskIdParams(id=task_id)):
            yield answer_of(event)

    async def get(self, task_id):
        return task_of(await self._client.get_task(TaskQueryParams(id=task_id)))

    async def cancel(self, task_id):
        return task_of(await self._client.cancel_task(TaskIdParams(id=task_id)))

    async def list(self, page_token):
        raise Unsupported

    async def push(self, task_id, webhook):
        config = TaskPushNotificationConfig(task_id=task_id, push_notification_config=PushNotificationConfig(**webhook))
        await self._client.set_task_callback(config)


async def connect(request):
    intent = request['intent']
    secrets = list(intent.get('credentials', {}).values())
    interceptors = [AuthInterceptor(OneCredential(secrets[0]))] if secrets else []
    extensions = intent.get('extensions')
    http = httpx.AsyncClient(timeout=TIMEOUT_SECONDS, verify=TRUSTED)
    how = {
        'httpx_client': http,
        'supported_transports': [TransportProtocol.jsonrpc, TransportProtocol.http_json, TransportProtocol.grpc],
        'grpc_channel_factory': grpc.aio.insecure_channel,
    }
    streaming = ClientConfig(**how)
    # The SDK streams whatever the card allows to; a plain call is a setting of the client.
    plain = ClientConfig(**how, streaming=False)
    card = await A2ACardResolver(http, request['url']).get_agent_card()
    made = [ClientFactory(how).create(card, [], interceptors, extensions) for how in (streaming, plain)]
    return SdkClient(card, *made)


def message_from(said):
    parts = said.get('parts') or [{'text': said.get('text', '')}]
    return Message(
        message_id=str(uuid.uuid4()),
        role=Role.user,
        parts=[Part(root=part_from(part)) for part in parts],
        task_id=said.get('taskId'),
        context_id=said.get('contextId'),
        reference_task_ids=said.get('referenceTaskIds'),
    )


def part_from(part):
    if 'text' in part:
        return TextPart(text=part['text'])
    if 'data' in part:
        return DataPart(data=part['data'])
    names = {'name': part.get('filename'), 'mime_type': part.get('mediaType')}
    return FilePart(file=FileWithUri(uri=part['url'], **names) if 'url' in part else FileWithBytes(bytes=part['raw'], **names))


def answer_of(event):
    if isinstance(event, Message):
        return {'message': {'text': text_of(event), 'contextId': event.context_id}}
    task, _ = event
    return {'task': task_of(task)}


def task_of(task):
    return {
        'id': task.id,
        'contextId': task.context_id,
        'state': task.status.state.value,
        'text': '' if task.status.message is None else text_of(task.status.message),
        'artifacts': [
            {'id': each.artifact_id, 'parts': [part_of(part.root) for part in each.parts]} for each in task.artifacts or []
        ],
    }


def text_of(message):
    return text_in([part_of(part.root) for part in message.parts])


def part_of(part):
    if isinstance(part, TextPart):
        return {'text': part.text}
    if isinstance(part, DataPart):
        return {'data': part.data}
    if isinstance(part.file, FileWithUri):
        return {'url': part.file.uri}
    return {'bytes': base64.b64decode(part.file.bytes), 'mediaType': part.file.mime_type}


if __name__ == '__main__':
    serve_harness(connect)
