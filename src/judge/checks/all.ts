// Every check there is, in the order of the areas. A new area is one file and one line here.

import { agentMessageChecks } from './agent-messages.ts'
import { cancelChecks } from './cancel.ts'
import { cardChecks } from './card.ts'
import { cardClaimChecks } from './card-claims.ts'
import { cardHttpChecks } from './card-http.ts'
import { cardInterfaceChecks } from './card-interfaces.ts'
import { cardSecurityChecks } from './card-security.ts'
import { cardSignatureChecks } from './card-signatures.ts'
import { cardSkillChecks } from './card-skills.ts'
import type { PlacedCheck } from './check.ts'
import { consistencyChecks } from './consistency.ts'
import { contentChecks } from './contents.ts'
import { dataModelChecks } from './data-model.ts'
import { equivalenceChecks } from './equivalence.ts'
import { errorMappingChecks } from './error-mapping.ts'
import { errorTextChecks } from './error-texts.ts'
import { jsonRpcChecks } from './errors-jsonrpc.ts'
import { restChecks } from './errors-rest.ts'
import { extendedCardChecks } from './extended-card.ts'
import { extensionChecks } from './extensions.ts'
import { foreignTaskChecks } from './foreign-tasks.ts'
import { getTaskChecks } from './get-task.ts'
import { grpcChecks } from './grpc.ts'
import { historyLengthChecks } from './history-length.ts'
import { inTaskAuthChecks } from './in-task-auth.ts'
import { inputRequiredChecks } from './input-required.ts'
import { jsonRpcErrorDetailChecks } from './jsonrpc-error-details.ts'
import { jsonRpcMethodChecks } from './jsonrpc-methods.ts'
import { listChecks } from './list.ts'
import { listFilterChecks } from './list-filters.ts'
import { listPageChecks } from './list-pages.ts'
import { listUpdateChecks } from './list-updates.ts'
import { permissionChecks } from './permissions.ts'
import { pushChecks } from './push.ts'
import { pushDeliveryChecks } from './push-delivery.ts'
import { pushEndChecks } from './push-ends.ts'
import { requestEdgeChecks } from './request-edges.ts'
import { restQueryChecks } from './rest-query.ts'
import { roundTripChecks } from './round-trips.ts'
import { sameEverywhereChecks } from './same-everywhere.ts'
import { schemaChecks } from './schema.ts'
import { securityChecks } from './security.ts'
import { sendChecks } from './send.ts'
import { sendConfigurationChecks } from './send-configuration.ts'
import { sendFollowUpChecks } from './send-follow-ups.ts'
import { streamFrameChecks } from './stream-frames.ts'
import { streamTwinChecks } from './stream-twins.ts'
import { streamUpdateChecks } from './stream-updates.ts'
import { streamValidationChecks } from './stream-validation.ts'
import { streamingChecks } from './streaming.ts'
import { subscribeChecks } from './subscribe.ts'
import { taskProgressChecks } from './task-progress.ts'
import { tenantChecks } from './tenants.ts'
import { validationChecks } from './validation.ts'
import { versionChecks } from './version.ts'
import { versionInterfaceChecks } from './version-interfaces.ts'

export function allChecks(): PlacedCheck[] {
  return [
    ...cardChecks,
    ...cardHttpChecks,
    ...cardInterfaceChecks,
    ...cardSkillChecks,
    ...cardSecurityChecks,
    ...cardSignatureChecks,
    ...cardClaimChecks,
    ...jsonRpcChecks,
    ...jsonRpcErrorDetailChecks,
    ...jsonRpcMethodChecks,
    ...historyLengthChecks,
    ...restChecks,
    ...restQueryChecks,
    ...validationChecks,
    ...requestEdgeChecks,
    ...errorMappingChecks,
    ...versionChecks,
    ...versionInterfaceChecks,
    ...grpcChecks,
    ...sendChecks,
    ...sendFollowUpChecks,
    ...sendConfigurationChecks,
    ...getTaskChecks,
    ...cancelChecks,
    ...listChecks,
    ...listFilterChecks,
    ...listUpdateChecks,
    ...listPageChecks,
    ...inputRequiredChecks,
    ...contentChecks,
    ...roundTripChecks,
    ...streamingChecks,
    ...streamUpdateChecks,
    ...streamFrameChecks,
    ...streamTwinChecks,
    ...streamValidationChecks,
    ...subscribeChecks,
    ...securityChecks,
    ...permissionChecks,
    ...foreignTaskChecks,
    ...tenantChecks,
    ...pushDeliveryChecks,
    ...pushEndChecks,
    ...sameEverywhereChecks,
    ...pushChecks,
    ...inTaskAuthChecks,
    ...extensionChecks,
    ...extendedCardChecks,
    ...errorTextChecks,
    ...equivalenceChecks,
    ...schemaChecks,
    ...dataModelChecks,
    ...agentMessageChecks,
    ...consistencyChecks,
    ...taskProgressChecks,
  ]
}
