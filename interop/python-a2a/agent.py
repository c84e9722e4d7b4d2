"""An agent on python-a2a, served by its Flask server: python agent.py PORT"""

import sys

from python_a2a import A2AServer, AgentCard, AgentSkill, TaskState, TaskStatus, run_server


class Echo(A2AServer):
    def handle_task(self, task):
        heard = ((task.message or {}).get('content') or {}).get('text') or ''
        if not heard:
            heard = ''.join(part.get('text', '') for part in (task.message or {}).get('parts', []))
        task.artifacts = [{'parts': [{'type': 'text', 'text': f'You said {heard}'}]}]
        task.status = TaskStatus(state=TaskState.COMPLETED)
        return task


if __name__ == '__main__':
    port = int(sys.argv[1])
    card = AgentCard(
        name='python-a2a echo',
        description='Says back what it hears.',
        url=f'http://127.0.0.1:{port}',
        version='1.0.0',
        skills=[AgentSkill(name='Echo', description='Says back what it hears.', tags=['test'], examples=['hello'])],
    )
    run_server(Echo(agent_card=card), host='127.0.0.1', port=port)
