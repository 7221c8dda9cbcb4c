package config_test

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
)

// Command lines as operators' units and guides have them. Those that this
// release refuses must be refused for that one reason and still be understood.
func TestCommandLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, line string
		env        []string
		err        string
		check      func(*testing.T, *config.Config)
	}{
		{name: "one box off-chain", line: "-orchestrator -transcoder -serviceAddr 127.0.0.1:8935",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Roles, config.Roles{Orchestrator: true, Transcoder: true})
				equal(t, c.Addresses.Service.String(), "https://127.0.0.1:8935")
				equal(t, c.Addresses.OrchestratorListen, config.ListenAddr{Port: 8935})
				equal(t, c.Addresses.AdminListen.Addr(), "127.0.0.1:7935")
				equal(t, c.Storage.DataDir, "/home/op/.tutti/offchain")
				equal(t, c.Limits.MaxSessions, config.Sessions{N: 10})
				equal(t, c.Transcoding.Devices.None(), true)
			}},
		{name: "separate gateway", line: "-gateway -orchAddr 127.0.0.1:8935",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Addresses.Orchestrators, []config.HostPort{{Host: "127.0.0.1", Port: 8935}})
				equal(t, c.Addresses.GatewayListen.Addr(), "127.0.0.1:9935")
				equal(t, c.Addresses.AdminListen.Addr(), "127.0.0.1:5935")
				equal(t, c.Gateway.HTTPIngest, true)
				equal(t, c.Gateway.LocalVerify, false)
				equal(t, names(c.Gateway.Ladder), "P240p30fps16x9 426x240, P360p30fps16x9 640x360")
			}},
		{name: "router with known peers",
			line: "-router -orchAddr a:8935 -serviceAddr r:8935 -knownPeers 192.0.2.7,2001:db8::1/48",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Limits.KnownPeers, []netip.Prefix{netip.MustParsePrefix("192.0.2.7/32"),
					netip.MustParsePrefix("2001:db8::/48")})
			}},
		{name: "object stores of one's own",
			line: "-orchestrator -transcoder -serviceAddr a:8935 -objectStoreNetworks 10.9.0.0/16,127.0.0.1",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Storage.ObjectStoreNetworks,
					[]netip.Prefix{netip.MustParsePrefix("10.9.0.0/16"), netip.MustParsePrefix("127.0.0.1/32")})
			}},
		{name: "everything in one process",
			line: "-gateway -orchestrator -transcoder -httpAddr 127.0.0.1:9000 -serviceAddr 127.0.0.1:9000 " +
				"-gatewayAddr 127.0.0.1:0 -cliAddr 127.0.0.1:0", check: func(t *testing.T, c *config.Config) {
				equal(t, c.Addresses.OrchestratorListen.Addr(), "127.0.0.1:9000")
				equal(t, c.Addresses.GatewayListen.Addr(), "127.0.0.1:0")
				equal(t, len(c.Addresses.Orchestrators), 0)
			}},
		{name: "typical unit",
			line: "-network arbitrum-one-mainnet -ethUrl https://arb.example.org/v2/KEY -ethPassword /etc/pass " +
				"-orchestrator -transcoder -nvidia all -pricePerUnit 1200 -serviceAddr host.example.org:8935 " +
				"-maxSessions 24 -monitor -v 6",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Chain.Network, "arbitrum-one-mainnet")
				equal(t, c.Storage.DataDir, "/home/op/.tutti/arbitrum-one-mainnet")
				equal(t, c.Chain.Endpoints[0].Reveal(), "https://arb.example.org/v2/KEY")
				equal(t, c.Chain.Endpoints[0].String(), "https://arb.example.org/***")
				equal(t, c.Chain.Password.Reveal(), "open sesame")
				equal(t, c.Transcoding.Devices, config.Devices{All: true})
				equal(t, c.Prices.PerUnit.String(), "1200")
				equal(t, c.Limits.MaxSessions.N, 24)
				equal(t, c.Monitoring.Enabled, true)
				equal(t, c.Logging.Verbosity, 6)
			}},
		{name: "one box with AI",
			line: "-orchestrator -transcoder -serviceAddr h.example.org -nvidia 0,1 -aiWorker -aiModels " +
				"/srv/tutti/aiModels.json -aiServiceRegistry",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Transcoding.Devices.IDs, []int{0, 1})
				equal(t, c.AI.Models, "/srv/tutti/aiModels.json")
				equal(t, c.AI.ServiceRegistry, true)
			}},
		{name: "split: orchestrator", line: "-orchestrator -orchSecret S -serviceAddr h.example.org:8935",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Roles, config.Roles{Orchestrator: true})
				equal(t, c.Limits.MaxSessions, config.Sessions{Auto: true})
			}},
		{name: "router", line: "-router -orchAddr a.example.org,b.example.org -serviceAddr r.example.org",
			check: func(t *testing.T, c *config.Config) {
				equal(t, len(c.Addresses.Orchestrators), 2)
				equal(t, c.Addresses.OrchestratorListen.Port, 8935)
			}},
		{name: "a worker with certificates",
			line: "-transcoder -aiWorker -orchAddr h.example.org -orchSecret S -workerName rig7 -orchCA /ca.pem " +
				"-workerCert /w.pem -workerKey /w.key", check: func(t *testing.T, c *config.Config) {
				equal(t, c.Addresses.WorkerName, "rig7")
				equal(t, c.TLS, config.TLS{OrchCA: "/ca.pem", WorkerCert: "/w.pem", WorkerKey: "/w.key"})
			}},
		{name: "split: transcoder",
			line: "-transcoder -orchAddr h.example.org:8935 -orchSecret S -nvidia all -maxSessions 8",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Addresses.OrchSecret.Reveal(), "S")
				equal(t, c.Addresses.AdminListen.Addr(), "127.0.0.1:6935")
			}},
		{name: "reward elsewhere",
			line: "-orchestrator -transcoder -serviceAddr h.example.org:8935 -reward=false -ethOrchAddr " +
				"0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612", check: func(t *testing.T, c *config.Config) {
				equal(t, c.Roles.Reward, config.Off)
				equal(t, c.Chain.Recipient.String(), "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612")
			}},
		{name: "reward process",
			line: "-reward -network arbitrum-one-mainnet -ethUrl https://arb.example.org -cliAddr 127.0.0.1:7936",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Roles, config.Roles{Reward: config.On})
				equal(t, c.Addresses.AdminListen.Addr(), "127.0.0.1:7936")
			}},
		{name: "container by environment", env: []string{"LP_ORCHESTRATOR=true", "LP_TRANSCODER=1",
			"LP_SERVICEADDR=h.example.org:8935", "LP_MAXSESSIONS=20", "LP_V=6", "LP_MONITOR=true", "LP_DATADIR=/data",
			"LP_MODE=standalone"}, check: func(t *testing.T, c *config.Config) {
			equal(t, c.Roles.Transcoder, true)
			equal(t, c.Limits.MaxSessions.N, 20)
			equal(t, c.Storage.DataDir, "/data")
			equal(t, c.Monitoring.Enabled, true)
		}},
		{name: "behind a TLS proxy",
			line: "-orchestrator -transcoder -serviceAddr https://h.example.org -httpAddr http://127.0.0.1:8936",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Addresses.OrchestratorListen,
					config.ListenAddr{Host: "127.0.0.1", Port: 8936, Plaintext: true})
				equal(t, c.Addresses.Service.Authority(), "h.example.org:8935")
			}},
		{name: "own certificate, IPv6",
			line: "-orchestrator -transcoder -serviceAddr [2001:db8::7]:8945 -tlsCert ~/c.pem -tlsKey /k.pem",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Addresses.Service.String(), "https://[2001:db8::7]:8945")
				equal(t, c.Addresses.OrchestratorListen.Port, 8945)
				equal(t, c.TLS, config.TLS{Cert: "/home/op/c.pem", Key: "/k.pem"})
			}},
		{name: "tutti's own",
			line: "-orchestrator -transcoder -serviceAddr h.example.org -maxSessions auto -encoderPreset medium " +
				"-resultMemory 1GiB -workerMemory 2GB -drainTimeout 90s -maxConnections 0 -maxConnectionsPerAddress 0",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Limits, config.Limits{MaxSessions: config.Sessions{Auto: true}, ResultMemory: 1 << 30,
					DrainTimeout: 90 * time.Second, UpgradeAnswers: 10 * time.Minute})
				equal(t, c.Transcoding.WorkerMemory, config.MemoryLimit{Bytes: 2_000_000_000})
				equal(t, c.Transcoding.EncoderPreset, "medium")
			}},
		{name: "gateway with a ladder, two dashes",
			line: "--gateway --orchAddr=a.example.org,b.example.org:9000 --transcodingOptions=/etc/ladder.json " +
				"--httpAddr 0.0.0.0:9935 --httpIngest --metricsClientIP", check: func(t *testing.T, c *config.Config) {
				equal(t, names(c.Gateway.Ladder), "480p 854x480")
				equal(t, c.Gateway.Ladder.String(), "/etc/ladder.json")
				equal(t, c.Addresses.Orchestrators[1].Authority(), "b.example.org:9000")
				equal(t, c.Gateway.HTTPIngest, true)
				equal(t, c.Monitoring.PerStream, true)
			}},
		{name: "payments", line: "-orchestrator -transcoder -serviceAddr h.example.org -pricePerUnit 0.5e-2USD " +
			"-pixelsPerUnit 1e12 -ticketEV 8e9 -minGasPrice 0 -blockPollingInterval 5 -transactionTimeout 10m",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Prices.PerUnit.String(), "0.005USD")
				equal(t, c.Prices.PixelsPerUnit, core.Pixels(1_000_000_000_000))
				equal(t, c.Tickets.EV.String(), "8000000000")
				equal(t, c.Gas.MinPrice != nil && c.Gas.MinPrice.IsZero(), true)
				equal(t, c.Chain.PollingInterval, 5*time.Second)
				equal(t, c.Gas.Timeout, 10*time.Minute)
			}},
		{name: "paid orchestrator",
			line: "-orchestrator -transcoder -serviceAddr h.example.org -network devnet -pricePerUnit 0.1USD " +
				"-pixelsPerUnit 1e12 -priceFeedAddr 0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612 " +
				"-maxFaceValue 1e15 -autoAdjustPrice=false -redeemerAddr r.example.org " +
				`-pricePerBroadcaster {"broadcasters":[{"ethaddress":"0xD8E8328501E9645D16CF49539EFC04F734606EE4",` +
				`"priceperunit":7,"pixelsperunit":"2"}]}`, check: func(t *testing.T, c *config.Config) {
				equal(t, c.Prices.Default().String(), "0.1USD per 1000000000000")
				equal(t, len(c.Prices.Gateways), 1)
				for caller, price := range c.Prices.Gateways {
					equal(t, strings.ToLower(caller.String())+" "+price.String(),
						"0xd8e8328501e9645d16cf49539efc04f734606ee4 7 wei per 2")
				}
				equal(t, c.Tickets.MaxFaceValue.String(), "1000000000000000")
				equal(t, c.Prices.AutoAdjust, false)
				equal(t, c.Chain.RedeemerAddr.Authority(), "r.example.org:8935")
			}},
		{name: "AI alone needs no price of pixels",
			line: "-orchestrator -aiWorker -aiModels /m.json -serviceAddr h.example.org -network devnet",
			check: func(t *testing.T, c *config.Config) {
				equal(t, c.Prices.Default().IsSet(), false)
			}},
		{name: "an orchestrator that takes no work needs none",
			line: "-orchestrator -serviceAddr none -transcoder -network devnet"},
		{name: "gateway on the chain finds its orchestrators",
			line: "-gateway -network devnet -maxPricePerUnit 2000 -pixelsPerUnit 2 -ignoreMaxPriceIfNeeded " +
				`-maxPricePerCapability {"capabilities_prices":[{"pipeline":"llm","model_id":"default","price_per_unit":5,` +
				`"pixels_per_unit":1}]}`, check: func(t *testing.T, c *config.Config) {
				equal(t, c.Prices.Limits().General.String(), "2000 wei per 2")
				equal(t, c.Prices.Limits().Pipelines[capability.LLM].String(), "5 wei per 1")
				equal(t, c.Prices.IgnoreMaxIfNeeded, true)
				equal(t, len(c.Addresses.Orchestrators), 0)
			}},
		{name: "redeemer", line: "-redeemer -network devnet -ticketEV 5", check: func(t *testing.T, c *config.Config) {
			equal(t, c.Roles, config.Roles{Redeemer: true})
			equal(t, c.Addresses.RedeemerListen.Addr(), "127.0.0.1:8935")
			equal(t, c.Addresses.AdminListen.Addr(), "127.0.0.1:7935")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := input(strings.Fields(c.line)...)
			in.Environ = c.env
			in.ReadFile = files(map[string]string{"/etc/pass": "open sesame\n",
				"/etc/ladder.json": `[{"name":"480p","width":854,"height":480,"bitrate":"1600k","fps":30}]`})
			got, _, err := config.Load(in)
			if text := errorText(err); text != c.err {
				t.Errorf("got %s\nwant %s", text, c.err)
			}
			if c.check != nil {
				c.check(t, got)
			}
		})
	}
}

func names(l config.Ladder) string {
	var all []string
	for _, p := range l.Profiles {
		all = append(all, p.Name+" "+p.Resolution())
	}
	return strings.Join(all, ", ")
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Asking for information is not asking for a node.
func TestInformational(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-version"}, {"--help"}, {"-h"}, {"-j"}, {"-version", "-maxSessions", "0"}} {
		c, notices, err := config.Load(input(args...))
		if err != nil || len(notices) > 0 || !c.Process.Informational() {
			t.Errorf("%v: %v %v %+v", args, err, notices, c.Process)
		}
	}
	if _, _, err := config.Load(input("-version", "-bogus")); err == nil {
		t.Error("an unknown option besides -version is not reported")
	}
	in := input()
	in.Environ = []string{"LP_VERSION=1.2.3", "TUTTI_HELP=1"}
	if c, _, _ := config.Load(in); c.Process.Informational() {
		t.Error("a variable asks for information")
	}
}
