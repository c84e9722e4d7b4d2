// The Lua scripts of the Redis store: each is one atomic step. Every key begins with the prefix in KEYS[1].
//
//   schema                 version of this layout
//   epoch                  hash: run (the server run that was last seen), number (how many runs were seen before it)
//   task:<scope>:<id>      hash: scope, who, state, context, pos, owner, seq, snap, snap_seq, snap_size, tail_size
//   events:<scope>:<id>    stream: entry <seq>-0, field b
//   list:<scope>…          sorted sets of positions, one per filter: all, :s:<state>, :c:<context>, :b:<state>:<context>
//   owners, owned:<owner>  which process writes which unfinished tasks
//   rest                   sorted set of the tasks at rest by when they came to it: what retention may delete
//   alive:<owner>          expires unless that process renews it

/** First sequence number of an epoch, less one. */
const EPOCH_STEP = 2 ** 32

/**
 * A Redis that restarted may have lost its last second. Numbers it had given out must not come again with other
 * content, so each run of the server starts its numbers higher.
 */
export const EPOCH = `
local key = KEYS[1] .. 'epoch'
local known = redis.call('HGET', key, 'run')
if known ~= ARGV[1] then
  redis.call('HSET', key, 'run', ARGV[1])
  if known then redis.call('HINCRBY', key, 'number', 1) end
end
return 1`

const LISTS = `
local function lists(prefix, scope, state, context)
  local base = prefix .. 'list:' .. scope
  local keys = { base, base .. ':s:' .. state }
  if context then
    keys[3] = base .. ':c:' .. context
    keys[4] = base .. ':b:' .. state .. ':' .. context
  end
  return keys
end
local function own(prefix, owner, id, isUnfinished)
  if isUnfinished then
    redis.call('SADD', prefix .. 'owners', owner)
    redis.call('SADD', prefix .. 'owned:' .. owner, id)
  else
    redis.call('SREM', prefix .. 'owned:' .. owner, id)
    if redis.call('EXISTS', prefix .. 'owned:' .. owner) == 0 then redis.call('SREM', prefix .. 'owners', owner) end
  end
end`

/** A task with its first events, if there are any. Answers the last sequence number, or why nothing was written. */
export const BEGIN = `${LISTS}
local prefix = KEYS[1]
local id, run, scope, who, state, pos, owner, unfinished, snap, snap_size, is_whole, tail_size, changed, has_context, context = unpack(ARGV, 1, 15)
local key = prefix .. 'task:' .. id
if redis.call('EXISTS', key) == 1 then return 'exists' end
local seq = 0
if #ARGV > 15 then
  local epoch = redis.call('HMGET', prefix .. 'epoch', 'run', 'number')
  if epoch[1] ~= run then return 'epoch' end
  seq = (tonumber(epoch[2]) or 0) * ${EPOCH_STEP}
  local events = prefix .. 'events:' .. id
  for n = 16, #ARGV do
    seq = seq + 1
    redis.call('XADD', events, string.format('%.0f-0', seq), 'b', ARGV[n])
  end
end
local text = string.format('%.0f', seq)
redis.call('HSET', key, 'scope', scope, 'who', who, 'state', state, 'pos', pos, 'owner', owner, 'seq', text,
  'snap', snap, 'snap_seq', is_whole == '1' and text or '0', 'snap_size', snap_size, 'tail_size', tail_size)
if has_context == '1' then redis.call('HSET', key, 'context', context) else context = nil end
for _, list in ipairs(lists(prefix, scope, state, context)) do redis.call('ZADD', list, 0, pos) end
if unfinished == '1' then own(prefix, owner, id, true) else redis.call('ZADD', prefix .. 'rest', changed, id) end
return text`

/** Answers the new sequence number, or why nothing was written. */
export const APPEND = `${LISTS}
local prefix = KEYS[1]
local id, run, scope, expected, owner, state, pos, unfinished, tail_size, snap, snap_size, changed = unpack(ARGV, 1, 12)
local key = prefix .. 'task:' .. id
local was = redis.call('HMGET', key, 'scope', 'state', 'seq', 'pos', 'owner', 'context')
if was[1] ~= scope then return 'gone' end
if was[2] == 'TASK_STATE_COMPLETED' or was[2] == 'TASK_STATE_FAILED' or was[2] == 'TASK_STATE_CANCELED'
  or was[2] == 'TASK_STATE_REJECTED' then return 'terminal' end
if was[3] ~= expected then return 'conflict' end
local epoch = redis.call('HMGET', prefix .. 'epoch', 'run', 'number')
if epoch[1] ~= run then return 'epoch' end
local seq = math.max(tonumber(was[3]), (tonumber(epoch[2]) or 0) * ${EPOCH_STEP})
local events = prefix .. 'events:' .. id
for n = 13, #ARGV do
  seq = seq + 1
  redis.call('XADD', events, string.format('%.0f-0', seq), 'b', ARGV[n])
end
local text = string.format('%.0f', seq)
redis.call('HSET', key, 'state', state, 'pos', pos, 'owner', owner, 'seq', text, 'tail_size', tail_size)
if snap ~= '' then redis.call('HSET', key, 'snap', snap, 'snap_seq', text, 'snap_size', snap_size) end
if was[2] ~= state or was[4] ~= pos then
  for _, list in ipairs(lists(prefix, scope, was[2], was[6])) do redis.call('ZREM', list, was[4]) end
  for _, list in ipairs(lists(prefix, scope, state, was[6])) do redis.call('ZADD', list, 0, pos) end
end
if was[5] ~= owner then own(prefix, was[5], id, false) end
own(prefix, owner, id, unfinished == '1')
if unfinished == '1' then redis.call('ZREM', prefix .. 'rest', id)
elseif was[2] ~= state or was[4] ~= pos then redis.call('ZADD', prefix .. 'rest', changed, id) end
return text`

/** Deletes a task at rest with its push configurations and link; answers whose it was. Memory is freed in the background. */
export const EXPIRE = `${LISTS}
local prefix = KEYS[1]
local id = ARGV[1]
local key = prefix .. 'task:' .. id
local was = redis.call('HMGET', key, 'scope', 'state', 'pos', 'context', 'who')
redis.call('ZREM', prefix .. 'rest', id)
if not was[1] then return '' end
for _, list in ipairs(lists(prefix, was[1], was[2], was[4])) do redis.call('ZREM', list, was[3]) end
redis.call('UNLINK', key, prefix .. 'events:' .. id)
local members = prefix .. 'push:task:' .. id
for _, row in ipairs(redis.call('SMEMBERS', members)) do
  redis.call('DEL', prefix .. 'push:row:' .. row)
  redis.call('ZREM', prefix .. 'push:active', row)
  redis.call('SREM', prefix .. 'push:dead', row)
  redis.call('SREM', prefix .. 'push:scope:' .. string.match(id, '^[^:]*'), row)
end
redis.call('DEL', members)
local link = redis.call('GET', prefix .. 'link:task:' .. id)
if link then
  local theirs = prefix .. 'link:agent:' .. was[1] .. ':' .. cjson.decode(link).downstreamTaskId
  if redis.call('GET', theirs) == string.sub(id, #was[1] + 2) then redis.call('DEL', theirs) end
  redis.call('DEL', prefix .. 'link:task:' .. id)
end
local follower = redis.call('GET', prefix .. 'follow:' .. id)
if follower then
  redis.call('SREM', prefix .. 'followed:' .. follower, id)
  redis.call('DEL', prefix .. 'follow:' .. id)
end
return was[5]`
