"""A Strands agent with a model that is none, served by its A2AServer: python agent.py PORT

The model says back the last words of the user; "wait N" takes N milliseconds, "fail" raises.
"""

import asyncio
import sys

from strands import Agent
from strands.models import Model
from strands.multiagent.a2a import A2AServer


class Echo(Model):
    def update_config(self, **model_config):
        pass

    def get_config(self):
        return {}

    def structured_output(self, output_model, prompt, system_prompt=None, **kwargs):
        raise NotImplementedError

    async def stream(self, messages, tool_specs=None, system_prompt=None, **kwargs):
        heard = ''.join(block.get('text', '') for block in messages[-1]['content'])
        keyword, _, argument = heard.strip().partition(' ')
        if keyword == 'fail':
            raise RuntimeError('it did not work')
        if keyword == 'wait':
            await asyncio.sleep(int(argument) / 1000)
        yield {'messageStart': {'role': 'assistant'}}
        yield {'contentBlockStart': {'start': {}}}
        for word in ['You', ' said ', heard]:
            yield {'contentBlockDelta': {'delta': {'text': word}}}
        yield {'contentBlockStop': {}}
        yield {'messageStop': {'stopReason': 'end_turn'}}


def agent_for(_context_id):
    return Agent(
        model=Echo(),
        name='Strands echo',
        description='Says back what it hears.',
        callback_handler=None,
        tools=[],
    )


if __name__ == '__main__':
    server = A2AServer(
        agent_factory=agent_for, host='127.0.0.1', port=int(sys.argv[1]), enable_a2a_compliant_streaming=True
    )
    server.serve(log_level='warning')
