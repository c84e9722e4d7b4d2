"""Agents on the Python SDK a2a-sdk 1.x: python agent.py hello|tasks|bearer|grpc PORT

hello   answers every message with a message; JSON-RPC at /
tasks   does what the first word of a message says (interop/keyword-agent.ts); JSON-RPC at /jsonrpc, REST at /rest
grpc    the same over gRPC, at a port of its own
bearer  the same for those who bring the token of Ada or of Ben, each with their own tasks

Tasks are in memory, or with TASK_STORE, a URL of SQLAlchemy, in a database.
"""

import asyncio
import os
import sys

import grpc.aio
import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.authentication import AuthCredentials, AuthenticationBackend, AuthenticationError, SimpleUser
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.responses import JSONResponse

from a2a.helpers.proto_helpers import new_data_part, new_raw_part, new_task, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.grpc_handler import GrpcHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import (
    BasePushNotificationSender,
    InMemoryPushNotificationConfigStore,
    InMemoryTaskStore,
    TaskUpdater,
)
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentProvider,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
    TaskState,
    a2a_pb2_grpc,
)

USERS = {'Bearer ada-may-enter': 'ada', 'Bearer ben-may-enter': 'ben'}
CARD_PATH = '/.well-known/agent-card.json'


class Hello(AgentExecutor):
    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_text_message('Hello World', context_id=context.context_id))

    async def cancel(self, context, event_queue):
        raise NotImplementedError('nothing to cancel')


class Keywords(AgentExecutor):
    """The executor is cancelled by the SDK when a client cancels the task."""

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        keyword, _, argument = text.partition(' ')
        known = {'task', 'stream', 'steps', 'ask', 'slow', 'wait', 'fail', 'reject', 'file', 'data'}
        if context.current_task is None and keyword not in known:
            await event_queue.enqueue_event(new_text_message(text, context_id=context.context_id))
            return
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if context.current_task is None:
            submitted = new_task(
                context.task_id, context.context_id, TaskState.TASK_STATE_SUBMITTED, history=[context.message]
            )
            submitted.status.timestamp.GetCurrentTime()
            await event_queue.enqueue_event(submitted)
            await self.play(updater, keyword, argument)
        else:
            await updater.add_artifact([new_text_part(f'You said {text}')], artifact_id='answer', last_chunk=True)
            await updater.complete()

    async def play(self, updater, keyword, argument):
        say = lambda words: updater.new_agent_message([new_text_part(words)])
        if keyword == 'ask':
            await updater.requires_input(say('Which colour?'))
        elif keyword == 'fail':
            await updater.failed(say('it did not work'))
        elif keyword == 'reject':
            await updater.reject(say('not this'))
        elif keyword == 'slow':
            await updater.start_work(say('working until cancelled'))
            await asyncio.Event().wait()
        else:
            await updater.start_work()
            if keyword == 'wait':
                await asyncio.sleep(int(argument) / 1000)
            chunks = self.chunks(keyword, argument)
            for at, part in enumerate(chunks):
                if keyword == 'steps':
                    await asyncio.sleep(0.3)
                await updater.add_artifact(
                    [part], artifact_id='result', append=at > 0, last_chunk=at == len(chunks) - 1
                )
            await updater.complete(say('done'))

    def chunks(self, keyword, argument):
        if keyword in ('stream', 'steps'):
            return [new_text_part(f'chunk {n + 1}\n') for n in range(int(argument))]
        if keyword == 'file':
            return [new_raw_part(b'a,b\n1,2\n', media_type='text/csv', filename='table.csv')]
        if keyword == 'data':
            return [new_data_part({'colour': 'blue', 'counts': [1, 2.5], 'nested': {'empty': None}})]
        return [new_text_part(argument or 'waited')]

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class Tokens(AuthenticationBackend):
    async def authenticate(self, conn):
        if conn.url.path == CARD_PATH:
            return None
        name = USERS.get(conn.headers.get('authorization', ''))
        if name is None:
            raise AuthenticationError('a bearer token is needed')
        return AuthCredentials(['authenticated']), SimpleUser(name)


def refuse(_conn, error):
    return JSONResponse({'error': str(error)}, status_code=401, headers={'WWW-Authenticate': 'Bearer'})


BINDINGS = {'hello': [('', 'JSONRPC')], 'grpc': [('', 'GRPC')]}


def card_of(kind, url):
    bindings = BINDINGS.get(kind, [('/jsonrpc', 'JSONRPC'), ('/rest', 'HTTP+JSON')])
    card = AgentCard(
        name=f'a2a-sdk {kind}',
        description='Says hello.' if kind == 'hello' else 'Does what the first word of a message says.',
        version='1.0.0',
        supported_interfaces=[
            AgentInterface(url=f'{url}{path}', protocol_binding=binding, protocol_version='1.0')
            for path, binding in bindings
        ],
        provider=AgentProvider(organization='Parley interop', url='https://example.com'),
        capabilities=AgentCapabilities(streaming=True, push_notifications=kind != 'hello'),
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[
            AgentSkill(id='keywords', name='Keywords', description='See the program.', tags=['test'], examples=['hi'])
        ],
    )
    if kind == 'bearer':
        card.security_schemes['token'].CopyFrom(
            SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme='Bearer'))
        )
        card.security_requirements.append(SecurityRequirement(schemes={'token': StringList()}))
        card.capabilities.extended_agent_card = True
    return card


def task_store():
    url = os.environ.get('TASK_STORE')
    if url is None:
        return InMemoryTaskStore()
    from a2a.server.tasks import DatabaseTaskStore
    from sqlalchemy.ext.asyncio import create_async_engine

    return DatabaseTaskStore(create_async_engine(url))


def handler_of(kind, card):
    configs = InMemoryPushNotificationConfigStore()
    extended = AgentCard()
    extended.CopyFrom(card)
    extended.description = 'For those who signed in.'
    return DefaultRequestHandler(
        agent_executor=Hello() if kind == 'hello' else Keywords(),
        task_store=task_store(),
        agent_card=card,
        push_config_store=configs,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), configs),
        extended_agent_card=extended if kind == 'bearer' else None,
    )


def app_of(kind, url):
    card = card_of(kind, url)
    handler = handler_of(kind, card)
    if kind == 'hello':
        routes = create_jsonrpc_routes(handler, '/')
    else:
        routes = [*create_jsonrpc_routes(handler, '/jsonrpc'), *create_rest_routes(handler, path_prefix='/rest')]
    guards = [Middleware(AuthenticationMiddleware, backend=Tokens(), on_error=refuse)] if kind == 'bearer' else []
    return Starlette(routes=[*create_agent_card_routes(card), *routes], middleware=guards)


async def serve_grpc(port):
    """The card over HTTP at the port, the service over gRPC at a free one."""
    server = grpc.aio.server()
    grpc_port = server.add_insecure_port('127.0.0.1:0')
    card = card_of('grpc', f'127.0.0.1:{grpc_port}')
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler_of('grpc', card)), server)
    await server.start()
    app = Starlette(routes=create_agent_card_routes(card))
    await uvicorn.Server(uvicorn.Config(app, host='127.0.0.1', port=port, log_level='warning')).serve()
    await server.stop(None)


if __name__ == '__main__':
    kind, port = sys.argv[1], int(sys.argv[2])
    if kind == 'grpc':
        asyncio.run(serve_grpc(port))
    else:
        uvicorn.run(app_of(kind, f'http://127.0.0.1:{port}'), host='127.0.0.1', port=port, log_level='warning')
