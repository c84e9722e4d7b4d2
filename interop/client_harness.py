"""What the harnesses on Python SDKs share; the same as client-harness.ts, which says what it is for.

An SDK client has `card` (name, streaming, push_notifications), `send`, `stream`, `subscribe`, `get`, `cancel`, `list` and `push`.
Tasks are {id, contextId, state, text, artifacts: [{id, parts}]}; answers and events hold one of task, message, status and
artifact; parts are {text}, {bytes, mediaType}, {data} or {url}. What an SDK cannot do raises Unsupported.
"""

import asyncio
import hashlib
import json
import re
import sys

WORKING = re.compile('working|submitted|unspecified|unknown', re.IGNORECASE)
NO_SUCCESS = re.compile('failed|rejected|cancel|working|submitted|unspecified|unknown', re.IGNORECASE)
POLL_SECONDS = 0.05
MOST_POLLS = 40
# Of a text in an outcome; more than any scenario looks at.
MOST_TEXT = 1_000_000


class Unsupported(Exception):
    """The SDK has no way to do it: not measured."""


def serve_harness(connect):
    asyncio.run(_serve(connect))


async def _serve(connect):
    reader = asyncio.StreamReader(limit=2**26)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    running = set()
    while line := await reader.readline():
        task = asyncio.create_task(_answer(json.loads(line), connect))
        running.add(task)
        task.add_done_callback(running.discard)


async def _answer(request, connect):
    intent = request['intent']
    try:
        client = await connect(request)
        outcome = await _fulfil(client, intent)
        outcome['fulfilled'] = _is_fulfilled(outcome, intent)
    except Unsupported:
        outcome = {'outcome': 'unsupported'}
    except Exception as error:  # whatever the SDK raises is the outcome
        outcome = {'outcome': 'error', 'fulfilled': False, 'error': error_of(error)}
    print(json.dumps({'id': request['id'], **outcome}), flush=True)


def _is_fulfilled(outcome, intent):
    state = outcome.get('state', '')
    if intent['do'] == 'cancel' or intent.get('cancel'):
        return re.search('cancel', state, re.IGNORECASE) is not None
    if intent['do'] in ('get', 'push'):
        return True
    if outcome['outcome'] == 'events' and state == '':
        return False
    return NO_SUCCESS.search(state) is None


async def _fulfil(client, intent):
    wanted = intent['do']
    task_id = intent.get('taskId', '')
    if wanted == 'card':
        return {'outcome': 'card', 'text': client.card['name']}
    if wanted == 'send' or (wanted == 'stream' and not client.card['streaming']):
        return outcome_of(await _settled(client, await client.send(intent), intent.get('waits', False)))
    if wanted == 'stream':
        return await _events(client.stream(intent), client if intent.get('cancel') else None)
    if wanted == 'subscribe':
        return await _events(client.subscribe(task_id))
    if wanted == 'get':
        return outcome_of({'task': await client.get(task_id)})
    if wanted == 'cancel':
        return outcome_of({'task': await client.cancel(task_id)})
    if wanted == 'list':
        return {'outcome': 'task', 'tasks': await _pages(client)}
    if wanted == 'continue':
        return await _conversation(client, intent)
    if wanted != 'push':
        raise Unsupported
    if not client.card['push_notifications']:
        raise RuntimeError('the card offers no push notifications')
    await client.push(task_id, intent['webhook'])
    return outcome_of({'task': await client.get(task_id)})


async def _settled(client, answer, waits=False):
    polls = 0
    # With `waits`, the user gives an authorization elsewhere meanwhile.
    still = re.compile(WORKING.pattern + '|auth', re.IGNORECASE) if waits else WORKING
    while 'task' in answer and still.search(answer['task']['state']) and polls < MOST_POLLS:
        await asyncio.sleep(POLL_SECONDS)
        answer = {'task': await client.get(answer['task']['id'])}
        polls += 1
    return answer


async def _conversation(client, intent):
    first = await _settled(client, await client.send(intent))
    said = {'text': intent.get('reply', '')}
    place = first.get('task') or first['message']
    if place.get('contextId'):
        said['contextId'] = place['contextId']
    if 'task' in first and re.search('required', place['state'], re.IGNORECASE):
        said['taskId'] = place['id']
    elif 'task' in first:
        said['referenceTaskIds'] = [place['id']]
    return outcome_of(await _settled(client, await client.send(said)))


async def _pages(client):
    count, token = 0, ''
    while True:
        tasks, token = await client.list(token)
        count += tasks
        if not token:
            return count


async def _events(stream, canceling=None):
    """`canceling` cancels the task once its first artifact is there."""
    count, task = 0, None
    async for event in stream:
        count += 1
        if 'message' in event:
            return {**outcome_of(event), 'events': count}
        task = folded(task, event)
        if not WORKING.search(task['state']):
            break
        if canceling is not None and task['artifacts']:
            await canceling.cancel(task['id'])
            canceling = None
    if task is None:
        return {'outcome': 'events', 'events': count}
    return {**outcome_of({'task': task}), 'outcome': 'events', 'events': count}


def folded(task, event):
    """What is known of the task after one more event; events of other tasks change nothing."""
    if 'task' in event:
        seen = event['task']
        is_same = task is not None and seen['id'] == task['id']
        # A snapshot in the middle may leave out artifacts that were streamed before.
        return {**seen, 'artifacts': task['artifacts']} if is_same and not seen['artifacts'] else seen
    update = event.get('status') or event['artifact']
    known = task or {'id': update['taskId'], 'contextId': update['contextId'], 'state': 'submitted', 'text': '', 'artifacts': []}
    if known['id'] != update['taskId']:
        return known
    if 'status' in event:
        return {**known, 'state': update['state'], 'text': update['text']}
    artifact = update['artifact']
    before = next((each for each in known['artifacts'] if each['id'] == artifact['id']), None)
    if update['append'] and before is not None:
        artifact = {**artifact, 'parts': before['parts'] + artifact['parts']}
    return {**known, 'artifacts': [each for each in known['artifacts'] if each['id'] != artifact['id']] + [artifact]}


def outcome_of(answer):
    if 'message' in answer:
        message = answer['message']
        return {'outcome': 'message', 'text': message['text'], 'contextId': message.get('contextId')}
    task = answer['task']
    outcome = {'outcome': 'task', 'taskId': task['id'], 'contextId': task.get('contextId'), 'state': task['state']}
    if task['artifacts'] is None:  # the SDK does not hand them out
        return {**outcome, 'text': task['text'][:MOST_TEXT]}
    text = ''.join(text_in(each['parts']) for each in task['artifacts']) + task['text']
    return {**outcome, 'text': text[:MOST_TEXT], 'artifacts': [_digest_of(each) for each in task['artifacts']]}


def text_in(parts):
    return ''.join(part.get('text', '') for part in parts)


def _digest_of(artifact):
    digest = hashlib.sha256()
    media_type = None
    for part in artifact['parts']:
        if 'text' in part:
            digest.update(part['text'].encode())
        elif 'bytes' in part:
            digest.update(part['bytes'])
            media_type = media_type or part['mediaType']
        elif 'data' in part:
            digest.update(json.dumps(part['data'], separators=(',', ':'), ensure_ascii=False).encode())
    return {'id': artifact['id'], 'sha256': digest.hexdigest(), 'text': text_in(artifact['parts'])[:MOST_TEXT], 'mediaType': media_type}


def error_of(error):
    """By its name, and by the number where the SDK keeps one."""
    told = {'message': str(error)[:500]}
    if type(error) is not RuntimeError:  # which an SDK, or its harness, raises for want of a better one
        told['kind'] = type(error).__name__
    for name in ('code', 'status_code'):
        if isinstance(getattr(error, name, None), int):
            told['code'] = getattr(error, name)
            break
    return told
