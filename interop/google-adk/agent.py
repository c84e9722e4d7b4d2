"""An agent on google-adk, without a model, served by its to_a2a(): python agent.py PORT

Says back what it hears; "wait N" takes N milliseconds, "stream N" says N sentences, "fail" raises.
"""

import asyncio
import sys

import uvicorn
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.agents import BaseAgent
from google.adk.events import Event
from google.genai import types


class Echo(BaseAgent):
    async def _run_async_impl(self, ctx):
        heard = ''.join(part.text or '' for part in ctx.user_content.parts or []) if ctx.user_content else ''
        keyword, _, argument = heard.partition(' ')
        if keyword == 'fail':
            raise RuntimeError('it did not work')
        if keyword == 'wait':
            await asyncio.sleep(int(argument) / 1000)
        said = [f'sentence {n + 1}' for n in range(int(argument))] if keyword == 'stream' else [f'You said {heard}']
        for words in said:
            content = types.Content(role='model', parts=[types.Part(text=words)])
            yield Event(author=self.name, invocation_id=ctx.invocation_id, content=content)


if __name__ == '__main__':
    port = int(sys.argv[1])
    agent = Echo(name='echo', description='Says back what it hears.')
    uvicorn.run(to_a2a(agent, host='127.0.0.1', port=port), host='127.0.0.1', port=port, log_level='warning')
