// Package metadataqueue reports a gateway's segments to an AMQP 0-9-1 broker such as RabbitMQ (-metadataQueueUri), for
// services that follow the health of streams: one JSON message per segment, in a topic exchange, under
// broadcaster.stream_health.transcode.<first character of the stream>.<stream>.
//
// Reporting never waits: messages are in a bounded queue, and what does not fit, or is refused three times, is
// dropped, counted, and the condition EventsLost. The broker confirms each message; without a confirmation within
// -metadataPublishTimeout the connection is given up and the messages are sent again, so they may come twice.
// cmd/tutti runs the Queue as a component.
package metadataqueue
