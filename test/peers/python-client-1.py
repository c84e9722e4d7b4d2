# A client of the Python SDK 1.x: finds the agent by its base URL and prints the state its message came to.
import asyncio
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import Message, Part, Role, SendMessageRequest, TaskState


async def main(url: str) -> None:
    async with httpx.AsyncClient(timeout=30) as http:
        card = await A2ACardResolver(http, url).get_agent_card()
        client = ClientFactory(ClientConfig(httpx_client=http, streaming=False)).create(card)
        message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text='hi')])
        async for event in client.send_message(SendMessageRequest(message=message)):
            answer = event[0] if isinstance(event, tuple) else event
            print(TaskState.Name(answer.task.status.state))


asyncio.run(main(sys.argv[1]))
