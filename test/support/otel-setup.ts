// Registers OpenTelemetry as an operator does, before Parley starts: node --import ./test/support/otel-setup.ts …
// Name and collector come from OTEL_SERVICE_NAME and OTEL_EXPORTER_OTLP_ENDPOINT.

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME ?? 'unnamed' }),
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
}).register()
