"""An Agno agent with a model that is none, served by AgentOS: python agent.py PORT

The model says back the last words of the user; "wait N" takes N milliseconds.
"""

import asyncio
import sys
from dataclasses import dataclass

import uvicorn
from agno.agent import Agent
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.os import AgentOS


@dataclass
class Echo(Model):
    id: str = 'echo'
    name: str = 'Echo'
    provider: str = 'none'

    def invoke(self, messages, *args, **kwargs):
        return ModelResponse(role='assistant', content=f'You said {messages[-1].content}')

    async def ainvoke(self, messages, *args, **kwargs):
        keyword, _, argument = str(messages[-1].content).partition(' ')
        if keyword == 'wait':
            await asyncio.sleep(int(argument) / 1000)
        return self.invoke(messages)

    def invoke_stream(self, messages, *args, **kwargs):
        yield self.invoke(messages)

    async def ainvoke_stream(self, messages, *args, **kwargs):
        yield await self.ainvoke(messages)

    def _parse_provider_response(self, response, **kwargs):
        return response

    def _parse_provider_response_delta(self, response):
        return response


if __name__ == '__main__':
    agent = Agent(id='echo', name='echo', description='Says back what it hears.', model=Echo(), telemetry=False)
    app = AgentOS(id='interop', agents=[agent], a2a_interface=True, telemetry=False).get_app()
    uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]), log_level='warning')
