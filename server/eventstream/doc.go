// Package eventstream sends a node's events to Apache Kafka (-kafkaBootstrapServers), as the network's gateways do:
// one JSON object per event, all in one topic.
//
// Send never waits: the client's buffer is bounded in number and bytes, and what does not fit, or is not taken in
// time, is dropped, counted by kind, and the condition EventsLost. With a user the connection is TLS with SASL PLAIN;
// the password is in no log and no error. cmd/tutti runs the Kafka as a component.
package eventstream
