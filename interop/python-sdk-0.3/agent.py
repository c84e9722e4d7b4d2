"""Agents on the Python SDK a2a-sdk 0.3: python agent.py hello|tasks|grpc PORT

hello   answers every message with a message; JSON-RPC at /
tasks   does what the first word of a message says (interop/keyword-agent.ts); JSON-RPC at /jsonrpc, REST at /rest
grpc    the same over gRPC, at a port of its own
"""

import asyncio
import base64
import sys

import grpc.aio
import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from a2a.grpc import a2a_pb2_grpc
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.request_handlers.grpc_handler import GrpcHandler
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
    DataPart,
    FilePart,
    FileWithBytes,
    Part,
    TaskState,
    TextPart,
)
from a2a.utils import new_agent_text_message, new_task


def text_part(text):
    return Part(root=TextPart(text=text))


class Hello(AgentExecutor):
    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_agent_text_message('Hello World', context_id=context.context_id))

    async def cancel(self, context, event_queue):
        raise NotImplementedError('nothing to cancel')


class Keywords(AgentExecutor):
    """The executor is cancelled by the SDK when a client cancels the task."""

    async def execute(self, context, event_queue):
        text = context.get_user_input()
        keyword, _, argument = text.partition(' ')
        known = {'task', 'stream', 'steps', 'ask', 'slow', 'wait', 'fail', 'reject', 'file', 'data'}
        if context.current_task is None and keyword not in known:
            await event_queue.enqueue_event(new_agent_text_message(text, context_id=context.context_id))
            return
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        if context.current_task is None:
            await event_queue.enqueue_event(new_task(context.message))
            await self.play(updater, keyword, argument)
        else:
            await updater.add_artifact([text_part(f'You said {text}')], artifact_id='answer', last_chunk=True)
            await updater.complete()

    async def play(self, updater, keyword, argument):
        say = lambda words: updater.new_agent_message([text_part(words)])
        if keyword == 'ask':
            await updater.update_status(TaskState.input_required, say('Which colour?'), final=True)
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
            # The SDK closes the queues of subscribers when the executor returns, delivered or not: the last event of a
            # burst is lost to them now and then.
            await asyncio.sleep(0.1)
            await updater.complete(say('done'))
            await asyncio.sleep(0.1)

    def chunks(self, keyword, argument):
        if keyword in ('stream', 'steps'):
            return [text_part(f'chunk {n + 1}\n') for n in range(int(argument))]
        if keyword == 'file':
            content = base64.b64encode(b'a,b\n1,2\n').decode()
            return [Part(root=FilePart(file=FileWithBytes(bytes=content, name='table.csv', mime_type='text/csv')))]
        if keyword == 'data':
            data = {'colour': 'blue', 'counts': [1, 2.5], 'nested': {'empty': None}}
            return [Part(root=DataPart(data=data))]
        return [text_part(argument or 'waited')]

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


BINDINGS = {'hello': [('', 'JSONRPC')], 'grpc': [('', 'GRPC')]}
BOTH = [('/jsonrpc', 'JSONRPC'), ('/rest', 'HTTP+JSON')]


def card_of(kind, url):
    interfaces = [AgentInterface(url=url + path, transport=name) for path, name in BINDINGS.get(kind, BOTH)]
    return AgentCard(
        name=f'a2a-sdk 0.3 {kind}',
        description='Says hello.' if kind == 'hello' else 'Does what the first word of a message says.',
        version='1.0.0',
        protocol_version='0.3.0',
        url=interfaces[0].url,
        preferred_transport=interfaces[0].transport,
        additional_interfaces=interfaces,
        provider=AgentProvider(organization='Parley interop', url='https://example.com'),
        capabilities=AgentCapabilities(streaming=True, push_notifications=kind != 'hello'),
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[
            AgentSkill(id='keywords', name='Keywords', description='See the program.', tags=['test'], examples=['hi'])
        ],
    )


def handler_of(kind):
    configs = InMemoryPushNotificationConfigStore()
    return DefaultRequestHandler(
        agent_executor=Hello() if kind == 'hello' else Keywords(),
        task_store=InMemoryTaskStore(),
        push_config_store=configs,
        push_sender=BasePushNotificationSender(httpx.AsyncClient(), configs),
    )


def app_of(kind, url):
    card = card_of(kind, url)
    handler = handler_of(kind)
    rpc = A2AStarletteApplication(agent_card=card, http_handler=handler)
    if kind == 'hello':
        return Starlette(routes=rpc.routes())
    rest = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler)
    return Starlette(routes=[*rpc.routes(rpc_url='/jsonrpc'), Mount('/rest', app=rest.build())])


async def serve_grpc(port):
    """The card over HTTP at the port, the service over gRPC at a free one."""
    server = grpc.aio.server()
    grpc_port = server.add_insecure_port('127.0.0.1:0')
    card = card_of('grpc', f'127.0.0.1:{grpc_port}')
    handler = handler_of('grpc')
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(card, handler), server)
    await server.start()
    # Only its card: what the interfaces of the card do not name is not served.
    rpc = A2AStarletteApplication(agent_card=card, http_handler=handler)
    app = Starlette(routes=[route for route in rpc.routes() if route.path.startswith('/.well-known')])
    await uvicorn.Server(uvicorn.Config(app, host='127.0.0.1', port=port, log_level='warning')).serve()
    await server.stop(None)


if __name__ == '__main__':
    kind, port = sys.argv[1], int(sys.argv[2])
    if kind == 'grpc':
        asyncio.run(serve_grpc(port))
        sys.exit()
    uvicorn.run(app_of(kind, f'http://127.0.0.1:{port}'), host='127.0.0.1', port=port, log_level='warning')
