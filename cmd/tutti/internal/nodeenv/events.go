package nodeenv

import (
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/tuttinode/tutti/core"
	coretelemetry "github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/telemetry"
)

// Events adds what sends events to the operator's Kafka. account is the node's, zero off-chain. The result is nil
// without -kafkaBootstrapServers and -kafkaGatewayTopic, and without -monitor: the existing node sends none without it
// either. It is to be called once, before the parts that report: a part is stopped before what was added before it.
func (e *Env) Events(account core.Address) (coretelemetry.EventSink, error) {
	c := &e.Config.Monitoring
	if len(c.KafkaServers) == 0 || c.KafkaTopic == "" || !c.Enabled {
		return nil, nil
	}
	failed, err := e.Metrics.EventErrors()
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	k, err := telemetry.NewKafka(telemetry.KafkaOptions{Servers: c.KafkaServers, Topic: c.KafkaTopic, User: c.KafkaUser,
		Password: c.KafkaPassword, Gateway: e.gatewayName(account), Failed: failed,
		Board: e.Board, Log: e.Log, Now: time.Now, Rand: rand.Reader})
	if err != nil {
		return nil, err
	}
	e.Add(k)
	return k, nil
}

// Segments adds what reports segments to the operator's AMQP broker, nil without -metadataQueueUri. It is to be called
// as Events is.
func (e *Env) Segments(account core.Address) (coretelemetry.Segments, error) {
	c := &e.Config.Gateway
	if c.MetadataQueue.IsZero() {
		return nil, nil
	}
	q, err := telemetry.NewAMQP(telemetry.AMQPOptions{URI: core.NewSecret(c.MetadataQueue.Reveal()),
		Exchange: c.MetadataExchange, Timeout: c.MetadataPublishTimeout, Node: e.gatewayName(account),
		Board: e.Board, Log: e.Log, Now: time.Now, Rand: rand.Reader})
	if err != nil {
		return nil, err
	}
	if e.Metrics != nil {
		if err := e.Metrics.WatchMetadataLosses(q.Lost); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	e.Add(q)
	return q, nil
}

// gatewayName identifies this node in events: its account, else -gatewayHost, else the machine's name.
func (e *Env) gatewayName(account core.Address) string {
	if account != (core.Address{}) {
		return account.String()
	}
	if host := e.Config.Addresses.GatewayHost; host != "" {
		return host
	}
	host, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return host
}
