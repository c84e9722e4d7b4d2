"""The client of the Python SDK a2a-sdk 1.x, driven by `parley grade --harness ndjson`: JSON-RPC, REST and gRPC of 1.0 and 0.3."""

import base64
import sys
import uuid
from pathlib import Path

import grpc.aio
import httpx
from google.protobuf import json_format

from a2a.client import A2ACardResolver, AuthInterceptor, ClientCallContext, ClientConfig, ClientFactory, CredentialService
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)

sys.path.insert(0, str(Path(__file__).parent.parent))
from client_harness import serve_harness, text_in  # noqa: E402

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
    def __init__(self, card, client, once, context):
        capabilities = card.capabilities
        self.card = {
            'name': card.name,
            'streaming': capabilities.streaming,
            'push_notifications': capabilities.push_notifications,
        }
        self._client = client
        self._once = once
        self._context = context

    async def send(self, said):
        async for response in self._once.send_message(request_of(said), context=self._context):
            return event_of(response)

    async def stream(self, said):
        async for response in self._client.send_message(request_of(said), context=self._context):
            yield event_of(response)

    async def subscribe(self, task_id):
        async for response in self._client.subscribe(SubscribeToTaskRequest(id=task_id), context=self._context):
            yield event_of(response)

    async def get(self, task_id):
        return task_of(await self._client.get_task(GetTaskRequest(id=task_id), context=self._context))

    async def cancel(self, task_id):
        return task_of(await self._client.cancel_task(CancelTaskRequest(id=task_id), context=self._context))

    async def list(self, page_token):
        page = await self._client.list_tasks(ListTasksRequest(page_token=page_token), context=self._context)
        return len(page.tasks), page.next_page_token

    async def push(self, task_id, webhook):
        config = TaskPushNotificationConfig(id=str(uuid.uuid4()), task_id=task_id, **webhook)
        await self._client.create_task_push_notification_config(config, context=self._context)


async def connect(request):
    intent = request['intent']
    secrets = list(intent.get('credentials', {}).values())
    interceptors = [AuthInterceptor(OneCredential(secrets[0]))] if secrets else []
    http = httpx.AsyncClient(timeout=TIMEOUT_SECONDS, verify=TRUSTED)
    how = {
        'httpx_client': http,
        'supported_protocol_bindings': ['JSONRPC', 'HTTP+JSON', 'GRPC'],
        'grpc_channel_factory': grpc.aio.insecure_channel,
    }
    streaming = ClientConfig(**how)
    # The SDK streams whatever the card allows to; a plain call is a setting of the client.
    plain = ClientConfig(**how, streaming=False)
    factory = ClientFactory(streaming)
    card = await A2ACardResolver(http, request['url']).get_agent_card()
    context = None
    if intent.get('extensions'):
        parameters = ServiceParametersFactory.create([with_a2a_extensions(intent['extensions'])])
        context = ClientCallContext(service_parameters=parameters)
    once = ClientFactory(plain).create(card, interceptors)
    return SdkClient(card, factory.create(card, interceptors), once, context)


def request_of(said):
    parts = said.get('parts') or [{'text': said.get('text', '')}]
    message = Message(
        message_id=str(uuid.uuid4()),
        role=Role.ROLE_USER,
        parts=[part_from(part) for part in parts],
        task_id=said.get('taskId'),
        context_id=said.get('contextId'),
        reference_task_ids=said.get('referenceTaskIds', []),
    )
    return SendMessageRequest(message=message)


def part_from(part):
    if 'raw' in part:
        raw = base64.b64decode(part['raw'])
        return Part(raw=raw, media_type=part.get('mediaType', ''), filename=part.get('filename', ''))
    return json_format.ParseDict(part, Part())


def event_of(response):
    kind = response.WhichOneof('payload')
    if kind == 'task':
        return {'task': task_of(response.task)}
    if kind == 'message':
        message = response.message
        return {'message': {'text': text_of(message), 'contextId': message.context_id or None}}
    update = response.status_update if kind == 'status_update' else response.artifact_update
    place = {'taskId': update.task_id, 'contextId': update.context_id or None}
    if kind == 'status_update':
        return {'status': {**place, **status_of(update.status)}}
    return {'artifact': {**place, 'artifact': artifact_of(update.artifact), 'append': update.append}}


def task_of(task):
    return {
        'id': task.id,
        'contextId': task.context_id or None,
        **status_of(task.status),
        'artifacts': [artifact_of(each) for each in task.artifacts],
    }


def status_of(status):
    known = status.state in TaskState.values()
    return {'state': TaskState.Name(status.state) if known else str(status.state), 'text': text_of(status.message)}


def artifact_of(artifact):
    return {'id': artifact.artifact_id, 'parts': [part_of(part) for part in artifact.parts]}


def text_of(message):
    return text_in([part_of(part) for part in message.parts])


def part_of(part):
    kind = part.WhichOneof('content')
    if kind == 'raw':
        return {'bytes': part.raw, 'mediaType': part.media_type}
    if kind == 'data':
        return {'data': json_format.MessageToDict(part.data)}
    return {kind or 'text': getattr(part, kind) if kind else ''}


if __name__ == '__main__':
    serve_harness(connect)
