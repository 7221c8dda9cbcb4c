package config_test

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/config"
)

func TestPrecedenceAndOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, file string
		env        []string
		args       []string
		want       config.Sessions
		origin     string
	}{
		{name: "default", want: config.Sessions{N: 10}, origin: "default"},
		{name: "file", file: "maxSessions 11\n", want: config.Sessions{N: 11}, origin: "node.conf:1"},
		{name: "last line of the file", file: "# first\nmaxSessions 11\n\nmaxSessions\t12  # second\n",
			want: config.Sessions{N: 12}, origin: "node.conf:4"},
		{name: "LP before file", file: "maxSessions 11\n", env: []string{"LP_MAXSESSIONS=13"},
			want: config.Sessions{N: 13}, origin: "env LP_MAXSESSIONS"},
		{name: "TUTTI before LP", env: []string{"TUTTI_MAXSESSIONS=14", "LP_MAXSESSIONS=13"},
			want: config.Sessions{N: 14}, origin: "env TUTTI_MAXSESSIONS"},
		{name: "underscores", env: []string{"LP_MAXSESSIONS=13", "TUTTI_MAX_SESSIONS=15"},
			want: config.Sessions{N: 15}, origin: "env TUTTI_MAX_SESSIONS"},
		{name: "empty variable", file: "maxSessions 11\n", env: []string{"TUTTI_MAX_SESSIONS=", "LP_MAXSESSIONS="},
			want: config.Sessions{N: 11}, origin: "node.conf:1"},
		{name: "flag before all", file: "maxSessions 11\n", env: []string{"TUTTI_MAX_SESSIONS=15"},
			args: []string{"-maxSessions", "16"}, want: config.Sessions{N: 16}, origin: "flag -maxSessions"},
		{name: "last flag", args: []string{"-maxSessions=16", "--maxSessions", "auto"},
			want: config.Sessions{Auto: true}, origin: "flag -maxSessions"},
		{name: "carriage returns and byte order mark", file: "\ufeffmaxSessions 11\r\nmonitor\r\n",
			want: config.Sessions{N: 11}, origin: "node.conf:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := input(append([]string{"-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:8935", "-config",
				"node.conf"}, c.args...)...)
			in.Environ, in.ReadFile = c.env, files(map[string]string{"node.conf": c.file})
			got, _, err := config.Load(in)
			if err != nil {
				t.Fatal(err)
			}
			if got.Limits.MaxSessions != c.want {
				t.Errorf("got %v, want %v", got.Limits.MaxSessions, c.want)
			}
			if o := got.Origin("maxSessions").String(); o != c.origin {
				t.Errorf("origin %q, want %q", o, c.origin)
			}
		})
	}
}

// The file may be named by a variable, and a spelling at a stronger source wins
// over another spelling at a weaker one without complaint.
func TestSpellingsAcrossSources(t *testing.T) {
	t.Parallel()
	in := input("-orchestrator", "-transcoder", "-serviceAddr", "127.0.0.1:8935", "-nvidia", "all")
	in.Environ = []string{"LP_CONFIG=~/node.conf", "LP_GPU=1"}
	in.ReadFile = files(map[string]string{"/home/op/node.conf": "gpu 0\ndatadir ~/state\n"})
	c, _, err := config.Load(in)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Transcoding.Devices.All || c.Origin("gpu").String() != "flag -nvidia" {
		t.Errorf("devices %v from %v", c.Transcoding.Devices, c.Origin("gpu"))
	}
	if c.Storage.DataDir != "/home/op/state" {
		t.Errorf("data directory %q", c.Storage.DataDir)
	}
}

func TestNotices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		env  []string
		want []string
	}{
		{name: "none", args: combined},
		{name: "gateway option without gateway", args: []string{"-orchestrator", "-transcoder", "-serviceAddr",
			"h.example.org", "-rtmpAddr", "0.0.0.0:1935"},
			want: []string{"-rtmpAddr (command line): has no effect without -gateway"}},
		{name: "transcoder option on a gateway", args: []string{"-gateway", "-orchAddr", "h.example.org", "-nvidia",
			"all"},
			want: []string{"-nvidia (command line): has no effect without -transcoder or -aiWorker"}},
		{name: "on-chain option off-chain", args: append(combined[:5:5], "-ethUrl", "https://arb.example.org/v2/key",
			"-reward=false"),
			want: []string{"-ethUrl (command line): has no effect off-chain; add -network arbitrum-one-mainnet"}},
		{name: "payments off-chain", args: append(combined[:5:5], "-ticketEV", "5", "-pricePerUnit", "1200"),
			want: []string{"-pricePerUnit (command line): has no effect off-chain; add -network arbitrum-one-mainnet",
				"-ticketEV (command line): has no effect off-chain; add -network arbitrum-one-mainnet"}},
		{name: "feature of a later release", args: append(combined[:5:5], "-objectStore", "s3://x"),
			want: []string{"-objectStore (command line): accepted; object storage is not part of this release yet"}},
		{name: "events without a topic", args: append(combined[:5:5], "-kafkaBootstrapServers", "k:9092", "-kafkaUser", "u"),
			want: []string{"-kafkaBootstrapServers (command line): has no effect without -kafkaGatewayTopic",
				"-kafkaUser (command line): has no effect without -kafkaPassword"}},
		{name: "events without metrics", args: append(combined[:5:5], "-kafkaBootstrapServers", "k:9092",
			"-kafkaGatewayTopic", "t", "-metricsClientIP"),
			want: []string{"-metricsClientIP (command line): has no effect without -monitor",
				"-kafkaBootstrapServers (command line): has no effect without -monitor"}},
		{name: "events", args: append(combined[:5:5], "-kafkaBootstrapServers", "k:9092", "-kafkaGatewayTopic", "t",
			"-kafkaUser", "u", "-kafkaPassword", "p", "-monitor", "-metricsClientIP", "-metadataQueueUri", "amqp://u:p@h/",
			"-metadataPublishTimeout", "2s")},
		{name: "scores off-chain", args: append(combined[:5:5], "-orchPerfStatsUrl", "https://s.example.org/"),
			want: []string{"-orchPerfStatsUrl (command line): has no effect off-chain; add -network arbitrum-one-mainnet"}},
		{name: "old name", args: []string{"-broadcaster", "-orchAddr", "h.example.org"},
			want: []string{"-broadcaster (command line): an old name; write -gateway"}},
		{name: "old name in the environment", args: []string{"-orchAddr", "h.example.org"},
			env:  []string{"LP_BROADCASTER=true"},
			want: []string{"LP_BROADCASTER (environment): an old name; write TUTTI_GATEWAY"}},
		{name: "old name without effect", args: append(combined[:5:5], "-pricePerBroadcaster", `{"broadcasters":[]}`),
			want: []string{"-pricePerBroadcaster (command line): an old name; write -pricePerGateway",
				"-pricePerBroadcaster (command line): has no effect off-chain; add -network arbitrum-one-mainnet"}},
		{name: "obsolete", args: append(combined[:5:5], "-verifierUrl", "http://v.example.org/"),
			want: []string{"-verifierUrl (command line): has no effect: verification by a classifier was retired; " +
				"delete it"}},
		{name: "empty value", args: append(combined[:5:5], "-nvidia", ""),
			want: []string{"-nvidia (command line): is empty and counts as not given"}},
		{name: "no service address", args: []string{"-orchestrator", "-transcoder"},
			want: []string{"-serviceAddr: not given, so 127.0.0.1:8935 is advertised, which only gateways on this " +
				"machine reach; write -serviceAddr host:port with the address that gateways see"}},
		{name: "public gateway", args: []string{"-gateway", "-orchAddr", "h.example.org", "-httpAddr", "0.0.0.0:9935"},
			want: []string{"-httpIngest: off, because the gateway listens on 0.0.0.0:9935 and every host there " +
				"could push; write -httpIngest to take segments all the same"}},
		{name: "shadowed variable", args: combined, env: []string{"LP_MAXSESSIONS=3", "TUTTI_MAX_SESSIONS=4"},
			want: []string{"LP_MAXSESSIONS (environment): not used, because TUTTI_MAX_SESSIONS is set too"}},
		{name: "mistyped variable", args: combined,
			env:  []string{"TUTTI_MAXSESION=3", "TUTTI_DEPS=/x", "LP_MODE=y", "TUTTI_PORT_8935_TCP=z"},
			want: []string{"TUTTI_MAXSESION (environment): not an option's variable; did you mean TUTTI_MAXSESSIONS?"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := input(c.args...)
			in.Environ = c.env
			_, notices, err := config.Load(in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range notices {
				got = append(got, n.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}
