// Package telemetry sends what the node did to its operator's services: events to Apache Kafka
// (-kafkaBootstrapServers), the segments of streams to AMQP 0-9-1 such as RabbitMQ (-metadataQueueUri), both as the
// network's gateways do, and spans to a collector by OTLP over HTTP (-otlpEndpoint).
//
// No work waits for any of them: what does not fit into the bounded queue, or is not taken in time, is dropped,
// counted, and the condition EventsLost or TracesLost. cmd/tutti runs a Kafka, an AMQP and an OTLP as components.
//
// Kafka gets one JSON object per event, all in one topic. The client's buffer is bounded in number and bytes. With a
// user the connection is TLS with SASL PLAIN; the password is in no log and no error.
//
// AMQP gets one JSON message per segment, for services that follow the health of streams, in a topic exchange, under
// broadcaster.stream_health.transcode.<first character of the stream>.<stream>. A message that is refused three times
// is dropped. The broker confirms each message; without a confirmation within -metadataPublishTimeout the connection
// is given up and the messages are sent again, so they may come twice.
//
// OTLP is the only importer of OpenTelemetry's SDK; the node's parts make spans through core/telemetry.
package telemetry
