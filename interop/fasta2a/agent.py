"""An agent on FastA2A with a worker of its own: python agent.py PORT

Does what the first word of a message says, as far as FastA2A lets a worker say it (interop/keyword-agent.ts).
"""

import asyncio
import contextlib
import sys
import uuid
from dataclasses import dataclass, field

import uvicorn
from fasta2a import FastA2A, Worker
from fasta2a.broker import InMemoryBroker
from fasta2a.storage import InMemoryStorage

ENDED = {'completed', 'canceled', 'failed', 'rejected'}


@dataclass
class Keywords(Worker):
    """The turns run beside the loop of the worker: it takes one operation at a time, and no cancellation meanwhile."""

    turns: dict = field(default_factory=dict)

    async def run_task(self, params):
        self.turns[params['id']] = asyncio.create_task(self.play(params))

    async def play(self, params):
        task_id, context_id, message = params['id'], params['context_id'], params['message']
        text = ''.join(part.get('text', '') for part in message['parts'])
        keyword, _, argument = text.partition(' ')
        task = await self.storage.update_task(task_id, state='working')
        await self.publish_status(task_id, context_id, 'working')
        if len([one for one in task.get('history', []) if one['role'] == 'user']) > 1:
            await self.finish(task_id, context_id, f'You said {text}')
        elif keyword == 'ask':
            await self.end(task_id, context_id, 'input-required', 'Which colour?')
        elif keyword == 'fail':
            await self.end(task_id, context_id, 'failed', 'it did not work')
        elif keyword == 'reject':
            await self.end(task_id, context_id, 'rejected', 'not this')
        else:
            if keyword == 'wait':
                await asyncio.sleep(int(argument) / 1000)
            if keyword == 'slow':
                await asyncio.Event().wait()
            await self.finish(task_id, context_id, argument or text)

    async def finish(self, task_id, context_id, text):
        artifact = {'artifact_id': 'result', 'parts': [{'text': text}]}
        await self.publish_artifact(task_id, context_id, artifact)
        await self.storage.update_task(task_id, state='completed', new_artifacts=[artifact])
        await self.tell(task_id, context_id, 'completed')

    async def end(self, task_id, context_id, state, text):
        message = {'role': 'agent', 'message_id': str(uuid.uuid4()), 'parts': [{'text': text}]}
        await self.storage.update_task(task_id, state=state, new_messages=[message])
        await self.tell(task_id, context_id, state, message)

    async def tell(self, task_id, context_id, state, message=None):
        await self.publish_status(task_id, context_id, state, message)
        await self.broker.event_bus.close(task_id)

    async def cancel_task(self, params):
        # An error in here would end the worker, and with it the server. What has ended is left alone: the framework hands
        # over every cancellation, and when this runs is a race with whoever reads the task.
        task = await self.storage.load_task(params['id'])
        if task is None or task['status']['state'] in ENDED:
            return
        turn = self.turns.pop(params['id'], None)
        if turn is not None:
            turn.cancel()
        await self.storage.update_task(params['id'], state='canceled')

    def build_message_history(self, history):
        return list(history)

    def build_artifacts(self, result):
        return []


def app_of(port):
    storage, broker = InMemoryStorage(), InMemoryBroker()
    worker = Keywords(broker=broker, storage=storage)

    @contextlib.asynccontextmanager
    async def lifespan(app):
        async with app.task_manager, worker.run():
            yield

    return FastA2A(
        storage=storage,
        broker=broker,
        lifespan=lifespan,
        name='FastA2A keywords',
        url=f'http://127.0.0.1:{port}',
        description='Does what the first word of a message says.',
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[
            {
                'id': 'keywords',
                'name': 'Keywords',
                'description': 'See the program.',
                'tags': ['test'],
                'input_modes': ['text/plain'],
                'output_modes': ['text/plain'],
            }
        ],
    )


if __name__ == '__main__':
    port = int(sys.argv[1])
    uvicorn.run(app_of(port), host='127.0.0.1', port=port, log_level='warning')
