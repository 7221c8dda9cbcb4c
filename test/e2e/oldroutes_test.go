package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// oldStatus is /status as the existing node's tools read it.
type oldStatus struct {
	Manifests, InternalManifests map[string]any
	StreamInfo                   map[string]struct{ SourceBytes, TranscodedBytes uint64 }
	OrchestratorPool             []string
	OrchestratorPoolInfos        []struct {
		Url            string
		Score, Latency float64
	}
	RegisteredTranscodersNumber int
	RegisteredTranscoders       []struct {
		Address  string
		Capacity int
	}
}

// oldAdmin is an admin listener, asked by its older paths.
type oldAdmin struct {
	*testing.T
	addr string
}

func (a oldAdmin) get(path string) string {
	a.Helper()
	status, body := harness.Get(a.T, "http://"+a.addr+path)
	if status != http.StatusOK {
		a.Fatalf("%s: %d %s", path, status, body)
	}
	return string(body)
}

func (a oldAdmin) json(path string, into any) {
	a.Helper()
	if err := json.Unmarshal([]byte(a.get(path)), into); err != nil {
		a.Fatal(path, err)
	}
}

// TestOldAdminRoutes reads what tools of the existing node read, on an orchestrator whose
// transcoder is elsewhere and on a gateway with a stream, off-chain.
func TestOldAdminRoutes(t *testing.T) {
	t.Parallel()
	service, orchAdmin, gwAdmin, gwData := harness.Address(t), harness.Address(t), harness.Address(t), t.TempDir()
	harness.Start(t, binary, "-orchestrator", "-orchSecret", "hunter2", "-serviceAddr", service, "-httpAddr", service,
		"-cliAddr", orchAdmin, "-dataDir", t.TempDir()).WaitHTTP("http://" + orchAdmin + "/healthz")
	worker := harness.Start(t, binary, "-transcoder", "-orchSecret", "hunter2", "-orchAddr", service, "-cliAddr",
		harness.Address(t), "-dataDir", t.TempDir())
	var st oldStatus
	worker.Wait("the transcoder is registered", 30*time.Second, func() bool {
		oldAdmin{t, orchAdmin}.json("/status", &st)
		return st.RegisteredTranscodersNumber == 1
	})
	if !strings.HasPrefix(st.RegisteredTranscoders[0].Address, "127.0.0.1") || st.RegisteredTranscoders[0].Capacity < 1 {
		t.Errorf("transcoders: %+v", st.RegisteredTranscoders)
	}
	if status, body := harness.Get(t, "http://"+orchAdmin+"/getNetworkCapabilities"); status != http.StatusBadRequest {
		t.Errorf("an orchestrator's /getNetworkCapabilities: %d %s", status, body)
	}
	_, gw := gatewayAt(t, service, gwAdmin, "-dataDir", gwData)
	g, seg := oldAdmin{t, gwAdmin}, segments(t, small(1))[0]
	if _, err := harness.Push(gw, "movie", "0.ts", seg.Data, seg.Duration); err != nil {
		t.Fatal(err)
	}
	g.streamShown(service, uint64(len(seg.Data)))
	g.networkShown(service)
	g.boundsChanged(filepath.Join(gwData, "admin.token"))
}

// streamShown looks for the stream movie of so many bytes.
func (a oldAdmin) streamShown(service string, size uint64) {
	a.Helper()
	var st oldStatus
	a.json("/status", &st)
	if st.Manifests["movie"] == nil || st.InternalManifests["movie"] == nil ||
		st.StreamInfo["movie"].SourceBytes != size || st.StreamInfo["movie"].TranscodedBytes == 0 {
		a.Errorf("/status after a segment of %d bytes: %+v", size, st)
	}
	if len(st.OrchestratorPoolInfos) != 1 || st.OrchestratorPoolInfos[0].Url != "https://"+service ||
		st.OrchestratorPoolInfos[0].Score <= 0 || st.OrchestratorPoolInfos[0].Latency <= 0 {
		a.Errorf("/status of a gateway whose orchestrator did a segment: %+v", st.OrchestratorPoolInfos)
	}
	for _, path := range []string{"/streamID", "/manifestID"} {
		if name := a.get(path); name != "movie" {
			a.Errorf("%s is %q", path, name)
		}
	}
}

// networkShown looks for the only orchestrator of a gateway.
func (a oldAdmin) networkShown(service string) {
	a.Helper()
	var network struct {
		Names         map[string]string `json:"capabilities_names"`
		Orchestrators []struct {
			URI          string `json:"orch_uri"`
			Capabilities struct {
				Bitstring  []uint64          `json:"bitstring"`
				Capacities map[string]uint32 `json:"capacities"`
			} `json:"capabilities"`
		} `json:"orchestrators"`
	}
	a.json("/getNetworkCapabilities", &network)
	if network.Names["0"] != "H.264" || len(network.Orchestrators) != 1 ||
		network.Orchestrators[0].URI != "https://"+service || len(network.Orchestrators[0].Capabilities.Bitstring) == 0 {
		a.Errorf("/getNetworkCapabilities: %+v", network)
	}
}

// boundsChanged changes what a gateway off-chain pays and makes, by tutti_cli.
func (a oldAdmin) boundsChanged(token string) {
	a.Helper()
	tool, err := harness.BuildTool(a.TempDir())
	if err != nil {
		a.Fatal(err)
	}
	for _, words := range [][]string{
		{"broadcast", "config", "--max-price", "12", "--pixels-per-unit", "5", "--profiles", "P240p30fps16x9"},
		{"broadcast", "max-price", "--pipeline", "llm", "--model", "a/b", "--max-price", "7"},
	} {
		out, status := harness.Output(a.T, tool,
			append([]string{"--url", "http://" + a.addr, "--token-file", token, "--yes", "--no-color"}, words...)...)
		if status != 0 {
			a.Errorf("tutti_cli %s: %d %s", strings.Join(words, " "), status, out)
		}
	}
	var config struct{ MaxPrice, TranscodingOptions string }
	a.json("/getBroadcastConfig", &config)
	if config.MaxPrice != "12/5" || config.TranscodingOptions != "P240p30fps16x9" {
		a.Errorf("/getBroadcastConfig: %+v", config)
	}
}
