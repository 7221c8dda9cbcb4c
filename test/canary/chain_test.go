package canary

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/harness"
)

// A node on a chain whose endpoints, database and account are refused: what cannot be
// used is told without its secrets.
func TestNodeOnAChain(t *testing.T) {
	t.Parallel()
	m := newMarks(t)
	bad := failing(t)
	admin, service := harness.Address(t), harness.Address(t)
	urls := "http://" + bad + "/v2/" + m.mark("RPC path") + ",http://u:" + m.mark("RPC password") + "@" + bad + "/?key=" +
		m.mark("RPC query") +
		",ws://" + bad + "/" + m.mark("WebSocket path")
	file := write(t, "node.conf",
		"ethUrl "+urls+"\nalert ntfy+http://:"+m.mark("ntfy token in the configuration file")+"@"+bad+"/"+
			m.mark("ntfy topic")+"\n")
	env := []string{"TUTTI_ETH_PASSWORD=" + m.mark("account password in the environment")}
	args := []string{"-orchestrator", "-transcoder", "-network", "arbitrum-one-mainnet", "-config", file, "-logFormat",
		"json", "-dataDir", t.TempDir(), "-serviceAddr", service, "-httpAddr", service,
		"-cliAddr", admin, "-pricePerUnit", "1200", "-monitor", "-v", "6", "-publicIPLookup", "none",
		"-startupAvailabilityCheck=false",
		"-orchWebhookUrl", "http://" + bad + "/" + m.mark("orchestrator webhook"), "-moveFrom", "none"}
	// An account is made at the first start, which then goes on without the chain.
	node := harness.StartIn(t, binary, env, args...)
	node.WaitHTTP("http://" + admin + "/healthz")
	node.Wait("the endpoints to fail", exitTime, func() bool {
		_, b := harness.Get(t, "http://"+admin+"/api/v1/conditions")
		return strings.Contains(string(b), `"code"`)
	})
	lookAll(t, m, node, admin, env, args)
}

// Wrong values are reported without the values.
func TestMistakes(t *testing.T) {
	t.Parallel()
	m := newMarks(t)
	bad := failing(t)
	chain := []string{"-network", "arbitrum-one-mainnet", "-pricePerUnit", "1", "-ethUrl", "http://" + bad + "/" +
		m.mark("RPC path"), "-moveFrom", "none"}
	for name, args := range map[string][]string{
		"alert of no kind":  {"-alert", "teams+https://h.example/" + m.mark("alert of no kind")},
		"alert in clear":    {"-alert", "http://h.example/" + m.mark("alert in clear")},
		"alert, no address": {"-alert", m.mark("alert, no address")},
		"RPC, no URL":       {"-network", "arbitrum-one-mainnet", "-ethUrl", "::" + m.mark("RPC, no URL")},
		"RPC, other scheme": {"-network", "arbitrum-one-mainnet", "-ethUrl", "ftp://h/" + m.mark("RPC, other scheme")},
		"store, no URL":     append([]string{"-store", m.mark("store, no URL")}, chain...),
		"store, nobody": append([]string{"-store", "postgres://u:" + m.mark("store, nobody") +
			"@127.0.0.1:1/db?sslmode=disable"}, chain...),
		"webhook, no URL": {"-orchWebhookUrl", "::" + m.mark("webhook, no URL")},
		"unknown option":  {"-ethPasword", m.mark("unknown option")},
		"unsupported": {"-kafkaPassword", m.mark("Kafka"), "-objectStore", "s3://key:" + m.mark("object store") +
			"@eu-west-1/bucket",
			"-metadataQueueUri", "amqp://u:" + m.mark("queue") + "@mq.example/", "-remoteSignerHeaders", "X:" +
				m.mark("signer headers"), "-maxSessions", "x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &marks{t: t, named: m.named}
			all := append([]string{"-orchestrator", "-transcoder", "-serviceAddr", harness.Address(t), "-cliAddr",
				harness.Address(t), "-dataDir", t.TempDir()}, args...)
			check := harness.StartIn(t, binary, nil, append([]string{"config", "check"}, all...)...)
			p := harness.StartIn(t, binary, nil, all...)
			if p.Exit(exitTime) == 0 {
				t.Error("it was taken")
			}
			check.Exit(exitTime)
			m.check("the start", p.Log())
			m.check("config check", check.Log())
		})
	}
}
