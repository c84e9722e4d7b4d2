// The Lua scripts of push configurations in Redis: each is one atomic step. redis.ts describes the keys.

const NOW = `
local function now_of(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function text(number) return string.format('%.0f', number) end`

/** The set of active rows of a scope, whose name begins the name of each of its tasks. */
const SCOPE = `
local function scope_of(task) return KEYS[1] .. 'push:scope:' .. string.match(task, '^[^:]*') end`

const FIELDS = `'body', 'start', 'delivered', 'attempts', 'state', 'error'`

export const PUT = `${SCOPE}
local prefix = KEYS[1]
local row, task, body, start, delivered, max_task, max_scope = unpack(ARGV)
local key = prefix .. 'push:row:' .. row
local members = prefix .. 'push:task:' .. task
local state = redis.call('HGET', key, 'state')
if not state then
  if redis.call('SCARD', members) >= tonumber(max_task) then return 'task-full' end
  if redis.call('SCARD', scope_of(task)) >= tonumber(max_scope) then return 'scope-full' end
  redis.call('HSET', key, 'task', task, 'start', start, 'delivered', delivered)
  redis.call('SADD', members, row)
  state = 'active'
elseif start ~= '' and redis.call('HGET', key, 'start') == '' then
  redis.call('HSET', key, 'start', start)
end
redis.call('HSET', key, 'body', body, 'attempts', 0, 'error', '', 'due', 0, 'lease', 0, 'token', '')
redis.call('SREM', prefix .. 'push:dead', row)
if state ~= 'done' then
  redis.call('HSET', key, 'state', 'active')
  redis.call('ZADD', prefix .. 'push:active', 0, row)
  redis.call('SADD', scope_of(task), row)
end
return 'stored'`

/** With a token only while that lease holds. */
export const REMOVE = `${SCOPE}
local prefix = KEYS[1]
local row, token = unpack(ARGV)
local key = prefix .. 'push:row:' .. row
local was = redis.call('HMGET', key, 'task', 'token')
if not was[1] or (token and was[2] ~= token) then return 0 end
redis.call('DEL', key)
redis.call('SREM', prefix .. 'push:task:' .. was[1], row)
redis.call('ZREM', prefix .. 'push:active', row)
redis.call('SREM', scope_of(was[1]), row)
redis.call('SREM', prefix .. 'push:dead', row)
return 1`

/** Answers how many rows were looked at, then the bodies of those that are behind their task. */
export const READY = `${NOW}
local prefix = KEYS[1]
local now = now_of(ARGV[1])
local task, offset, page, limit = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local rows
if task ~= '' then rows = redis.call('SMEMBERS', prefix .. 'push:task:' .. task)
else rows = redis.call('ZRANGEBYSCORE', prefix .. 'push:active', '-inf', text(now), 'LIMIT', offset, page) end
local found = { #rows }
for _, row in ipairs(rows) do
  if #found > limit then break end
  local key = prefix .. 'push:row:' .. row
  local is = redis.call('HMGET', key, 'state', 'due', 'lease', 'delivered', 'task')
  if is[1] == 'active' and tonumber(is[2]) <= now and tonumber(is[3]) <= now then
    local seq = redis.call('HGET', prefix .. 'task:' .. is[5], 'seq')
    if seq and tonumber(seq) > tonumber(is[4]) then found[#found + 1] = redis.call('HGET', key, 'body') end
  end
end
return found`

export const CLAIM = `${NOW}
local prefix = KEYS[1]
local row, given, token, lease_ms = unpack(ARGV)
local now = now_of(given)
local key = prefix .. 'push:row:' .. row
local is = redis.call('HMGET', key, 'state', 'due', 'lease')
if is[1] ~= 'active' or tonumber(is[2]) > now or tonumber(is[3]) > now then return 0 end
local lease = text(now + tonumber(lease_ms))
redis.call('HSET', key, 'token', token, 'lease', lease)
redis.call('ZADD', prefix .. 'push:active', lease, row)
return redis.call('HMGET', key, ${FIELDS})`

export const SETTLE = `${NOW}${SCOPE}
local prefix = KEYS[1]
local row, given, token, delivered, attempts, state, fault, retry_ms, lease_ms = unpack(ARGV)
local now = now_of(given)
local key = prefix .. 'push:row:' .. row
if redis.call('HGET', key, 'token') ~= token then return 0 end
local due = now + tonumber(retry_ms)
local lease = 0
if lease_ms == '0' then token = '' else lease = now + tonumber(lease_ms) end
redis.call('HSET', key, 'delivered', delivered, 'attempts', attempts, 'state', state, 'error', fault,
  'due', text(due), 'lease', text(lease), 'token', token)
if state == 'active' then redis.call('ZADD', prefix .. 'push:active', text(math.max(due, lease)), row)
else
  redis.call('ZREM', prefix .. 'push:active', row)
  redis.call('SREM', scope_of(redis.call('HGET', key, 'task')), row)
end
if state == 'dead' then redis.call('SADD', prefix .. 'push:dead', row) end
return 1`

export const REVIVE = `${SCOPE}
local prefix = KEYS[1]
local row = ARGV[1]
local key = prefix .. 'push:row:' .. row
if redis.call('HGET', key, 'state') ~= 'dead' then return 0 end
redis.call('HSET', key, 'state', 'active', 'due', 0)
redis.call('SREM', prefix .. 'push:dead', row)
redis.call('ZADD', prefix .. 'push:active', 0, row)
redis.call('SADD', scope_of(redis.call('HGET', key, 'task')), row)
return 1`
