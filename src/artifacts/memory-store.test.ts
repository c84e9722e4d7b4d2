import { artifactStoreContract } from '../../test/contract/artifact-store.ts'
import { createMemoryArtifactStore } from './memory-store.ts'

artifactStoreContract('memory', async (options) => createMemoryArtifactStore(options))
