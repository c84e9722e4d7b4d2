# A client of the Python SDK 1.x over gRPC: finds the agent by its base URL, sends, streams, reads again and asks for a task that
# is not there. Prints one line for each.
import asyncio
import sys
import uuid

import grpc.aio
import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import GetTaskRequest, Message, Part, Role, SendMessageRequest, TaskState


def said(text: str) -> SendMessageRequest:
    message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)])
    return SendMessageRequest(message=message)


async def main(url: str) -> None:
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        settings = {
            'httpx_client': http,
            'supported_protocol_bindings': ['GRPC'],
            'grpc_channel_factory': grpc.aio.insecure_channel,
        }
        whole = ClientFactory(ClientConfig(streaming=False, **settings)).create(card)
        async for event in whole.send_message(said('hi')):
            task = event.task
            print('sent', TaskState.Name(task.status.state))
        again = await whole.get_task(GetTaskRequest(id=task.id))
        print('read', TaskState.Name(again.status.state), again.artifacts[0].parts[0].text)
        streaming = ClientFactory(ClientConfig(streaming=True, **settings)).create(card)
        kinds = [event.WhichOneof('payload') async for event in streaming.send_message(said('hi'))]
        print('streamed', ' '.join(kinds))
        try:
            await whole.get_task(GetTaskRequest(id='nobody'))
        except Exception as error:
            print('refused', type(error).__name__)


asyncio.run(main(sys.argv[1]))
