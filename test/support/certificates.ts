// Certificates for tests: those that scenarios show, under the name tests know them by.

export {
  type Certified,
  type Issuer,
  makeAuthority,
  serverCertificate,
  type Wanted,
} from '../../src/net/certificates.ts'
