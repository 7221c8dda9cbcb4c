package telemetry

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	// maxEvents and maxBytes bound what waits for the brokers, maxEvent one event.
	maxEvents = 1000
	maxBytes  = 16 << 20
	maxEvent  = 256 << 10
	// batchFor is how long events wait for others to share a request with.
	batchFor = 100 * time.Millisecond
	// dialTime bounds one connection attempt.
	dialTime = 5 * time.Second
)

// KafkaOptions are the settings of a Kafka. Servers, Topic, Board, Log, Now and Rand must be set.
type KafkaOptions struct {
	// Servers are addresses of brokers, Topic is where events go.
	Servers []string
	Topic   string
	// User and Password are for SASL PLAIN over TLS; without a user neither is used.
	User     string
	Password core.Secret
	// TLS is for tests; nil trusts the system's authorities.
	TLS *tls.Config
	// Gateway identifies this node in every event.
	Gateway string
	// Failed counts an event that was lost; nil counts nothing.
	Failed func(kind string)
	// Delivery is how long brokers may take for an event; default 30 s. CheckEvery is how often the condition is
	// examined, default 30 s. Flush is how long the end waits for the brokers, default 2 s.
	Delivery, CheckEvery, Flush time.Duration

	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
	Rand  io.Reader
}

// Kafka sends events. It implements core/telemetry.EventSink and is a lifecycle component.
type Kafka struct {
	opt    KafkaOptions
	client *kgo.Client
	losses *losses
	causes *kafkaCauses
}

var _ telemetry.EventSink = (*Kafka)(nil)

// envelope is an event as consumers read it.
type envelope struct {
	ID        string              `json:"id"`
	Kind      telemetry.EventKind `json:"type"`
	Timestamp string              `json:"timestamp"`
	Gateway   string              `json:"gateway"`
	Data      any                 `json:"data"`
}

// NewKafka makes a Kafka. It connects with the first event. An error is the fault BadOption.
func NewKafka(o KafkaOptions) (*Kafka, error) {
	orElse(&o.Delivery, 30*time.Second)
	orElse(&o.CheckEvery, 30*time.Second)
	orElse(&o.Flush, 2*time.Second)
	if o.Failed == nil {
		o.Failed = func(string) {}
	}
	why := &kafkaCauses{login: o.User != ""}
	client, err := kgo.NewClient(append(o.client(), kgo.WithLogger(why))...)
	if err != nil {
		return nil, &fault.Fault{Code: fault.BadOption, Op: "open the event stream",
			Detail: "the brokers of -kafkaBootstrapServers cannot be used", Err: err}
	}
	return &Kafka{opt: o, client: client, causes: why,
		losses: newLosses(o.Board, health.Key{Code: fault.EventsLost, About: "kafka"})}, nil
}

// client returns the library's settings. Writes are not idempotent: that would need a permission more, and events
// may come twice or be missing anyway.
func (o *KafkaOptions) client() []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ClientID("tutti"), kgo.SeedBrokers(o.Servers...), kgo.DefaultProduceTopic(o.Topic),
		kgo.MaxBufferedRecords(maxEvents), kgo.MaxBufferedBytes(maxBytes), kgo.ProducerLinger(batchFor),
		kgo.DisableIdempotentWrite(), kgo.RequiredAcks(kgo.LeaderAck()), kgo.RecordDeliveryTimeout(o.Delivery),
		kgo.RetryTimeout(o.Delivery), kgo.ProduceRequestTimeout(min(o.Delivery, 10*time.Second)),
		kgo.UnknownTopicRetries(1), kgo.BrokerMaxReadBytes(8 << 20), kgo.FetchMaxBytes(1 << 20), kgo.DisableClientMetrics(),
		kgo.MetadataMinAge(time.Second),
	}
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second}
	if o.User == "" {
		return append(opts, kgo.Dialer(dialer.DialContext))
	}
	config := o.TLS.Clone()
	if config == nil {
		config = &tls.Config{}
	}
	config.MinVersion = tls.VersionTLS12
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		own := config.Clone()
		if own.ServerName == "" {
			host, _, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			own.ServerName = host
		}
		return (&tls.Dialer{NetDialer: dialer, Config: own}).DialContext(ctx, network, address)
	}
	auth := plain.Auth{User: o.User, Pass: o.Password.Reveal()}
	return append(opts, kgo.Dialer(dial), kgo.SASL(auth.AsMechanism()))
}

// Name names the component.
func (k *Kafka) Name() string { return "event stream" }

// Run keeps the condition until ctx ends, then gives what is left a moment to be sent.
func (k *Kafka) Run(ctx context.Context, ready func()) error {
	tick := time.NewTicker(k.opt.CheckEvery)
	defer tick.Stop()
	ready()
	for {
		select {
		case <-tick.C:
			k.losses.Check()
			continue
		case <-ctx.Done():
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.opt.Flush)
		defer cancel()
		if err := k.client.Flush(end); err != nil {
			k.opt.Log.Warn("events were not sent before the end", "events", k.client.BufferedProduceRecords())
		}
		k.client.Close()
		return nil
	}
}

// Send sends an event.
func (k *Kafka) Send(kind telemetry.EventKind, data any) {
	// The library reports what does not fit later, from a queue of its own that has no bound.
	if k.client.BufferedProduceRecords() >= maxEvents || k.client.BufferedProduceBytes() >= maxBytes {
		k.lost(kind, kafkaFull)
		return
	}
	id, err := uuid.NewRandomFromReader(k.opt.Rand)
	if err != nil {
		k.lost(kind, "there is no random number for an event")
		return
	}
	body, err := json.Marshal(&envelope{ID: id.String(), Kind: kind, Data: data, Gateway: k.opt.Gateway,
		Timestamp: strconv.FormatInt(k.opt.Now().UnixMilli(), 10)})
	switch {
	case err != nil:
		k.lost(kind, "an event cannot be written as JSON")
		return
	case len(body) > maxEvent:
		k.lost(kind, "an event is larger than "+strconv.Itoa(maxEvent)+" bytes")
		return
	}
	k.client.TryProduce(context.Background(), &kgo.Record{Key: []byte(id.String()), Value: body},
		func(_ *kgo.Record, err error) {
			if err == nil {
				k.causes.over()
				k.losses.Delivered()
				return
			}
			k.lost(kind, k.causes.reason(err))
		})
}

func (k *Kafka) lost(kind telemetry.EventKind, reason string) {
	k.opt.Failed(string(kind))
	k.losses.Failed(reason)
}
