package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// module is the prefix of our own import paths.
const module = "github.com/tuttinode/tutti/"

// pkg is what the rules see of a package. Paths of ours are without module.
type pkg struct {
	path    string
	imports []string
	// deps are all packages it pulls in.
	deps []string
}

// within reports whether path is prefix or below it.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

func withinAny(path string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return within(path, p) })
}

// layer is a row of the import table: the packages at or below path may import
// of ours only what is listed, and one another.
type layer struct {
	path string
	may  []string
	why  string
}

var layers = []layer{
	{"pm", []string{"core"}, "tickets know the domain's words and nothing of what carries them"},
	{"core", []string{"pm"}, "the domain knows no adapter; adapters implement its ports"},
	{"config", []string{"core"}, "configuration is read before any adapter exists"},
	{"eth", []string{"core", "pm"}, "adapters never meet; cmd/tutti introduces them"},
	{"transcoder", []string{"core", "pm"}, "adapters never meet; cmd/tutti introduces them"},
	{"ai", []string{"core", "pm"}, "adapters never meet; cmd/tutti introduces them"},
	{"server", []string{"core", "pm"}, "adapters never meet; cmd/tutti introduces them"},
	{"cmd/tutti_cli", []string{"core", "config", "server/rpc", "eth/account", "cmd/tutti_cli/node",
		"cmd/internal/usage"},
		"the command line client is thin: it talks to a node over its API once it knows whose port it is, and makes key " +
			"files where no node runs yet"},
	{"cmd/internal/logging", []string{"core"}, "the sink of the logs knows nothing of the node"},
}

// ban keeps packages out of everything that the packages at or below path pull
// in, directly or not.
type ban struct {
	path string
	not  []string
	why  string
}

var bans = []ban{
	{"core", []string{"net/http", "google.golang.org/grpc", "github.com/docker/docker", "github.com/moby/moby",
		"github.com/ethereum/go-ethereum/ethclient", "github.com/ethereum/go-ethereum/rpc",
		"github.com/ethereum/go-ethereum/accounts",
		"github.com/asticode/go-astiav", "github.com/golang/glog"},
		"core is the node in domain words and meets the world through ports"},
	{"cmd/tutti_cli", []string{"github.com/asticode/go-astiav", "github.com/NVIDIA/go-nvml"},
		"the client builds without a C compiler"},
	{"cmd/tutti", []string{"github.com/ethereum/go-ethereum/node", "github.com/ethereum/go-ethereum/eth",
		"github.com/ethereum/go-ethereum/ethclient/simulated"},
		"a full Ethereum node belongs to test/devnet and is never linked into tutti"},
}

// owner is the one place that may import a library directly.
type owner struct {
	library string
	by      string
	why     string
}

var owners = []owner{
	{"github.com/asticode/go-astiav", "transcoder/libav",
		"libav's objects and its C code stay in one place, out of the process that holds keys"},
	{"github.com/golang/glog", "cmd/internal/logging", "everything logs through the *slog.Logger it is handed"},
	{"github.com/NVIDIA/go-nvml", "transcoder/nvml",
		"its link flags hide missing symbols; one package proves that it loads before use"},
	{"github.com/ethereum/go-ethereum/node", "test/devnet", "only the local test chain runs a full node"},
	{"github.com/ethereum/go-ethereum/eth", "test/devnet", "only the local test chain runs a full node"},
	{"github.com/ethereum/go-ethereum/ethclient/simulated", "test/devnet",
		"only the local test chain runs a full node"},
	{"go.opentelemetry.io/otel/sdk", "server/telemetry", "everything makes spans through core/telemetry"},
	{"go.opentelemetry.io/otel/exporters", "server/telemetry", "everything makes spans through core/telemetry"},
	{"github.com/prometheus/client_golang", "server/metrics", "everything counts through core.Recorder"},
}

// testOnly is what no shipped package may pull in.
var testOnly = []string{"testing", "net/http/httptest", "github.com/stretchr/testify", "go.uber.org/goleak",
	"pgregory.net/rapid", "test"}

// simulation is the local test chain: tests start it, and cmd/tutti_devnet is shipped with it.
var simulation = []string{"test/devnet/chain", "test/devnet/control", "test/devnet/endpoints", "test/devnet/solidity"}

// notShipped are the packages that only tests use, and the demo, which runs from
// the tree.
var notShipped = []string{"test", "cmd/tutti_demo"}

// pure is what the package pm itself may not import; those below it have files and
// clocks.
var pure = []string{"net", "os", "time/tzdata", "crypto/rand", "math/rand", "math/rand/v2", "log", "log/slog",
	"database/sql"}

func pureViolations(p pkg) (out []string) {
	if p.path != "pm" {
		return nil
	}
	for _, imp := range p.imports {
		if slices.Contains(pure, imp) {
			out = append(out, fmt.Sprintf("pm imports %s: tickets are given the round, the randomness and the time; they "+
				"have no clock, dice, file, socket or log of their own", imp))
		}
	}
	return out
}

// violations returns what breaks the table, one line each.
func violations(packages []pkg) []string {
	var out []string
	for _, p := range packages {
		out = append(out, layerViolations(p)...)
		out = append(out, banViolations(p)...)
		out = append(out, pureViolations(p)...)
		out = append(out, ownerViolations(p)...)
		out = append(out, shippedViolations(p)...)
	}
	return out
}

func layerViolations(p pkg) (out []string) {
	for _, l := range layers {
		if !within(p.path, l.path) {
			continue
		}
		for _, imp := range p.imports {
			if ours(imp) && !within(imp, l.path) && !withinAny(imp, l.may) {
				out = append(out, fmt.Sprintf("%s imports %s: %s", p.path, imp, l.why))
			}
		}
	}
	return out
}

func banViolations(p pkg) (out []string) {
	for _, b := range bans {
		if !within(p.path, b.path) || withinAny(p.path, notShipped) {
			continue
		}
		for _, dep := range p.deps {
			// A ban on a package of the standard library is on itself alone where
			// what is below it is harmless ("net/url", "log/internal").
			if slices.Contains(b.not, dep) || !standard(dep) && withinAny(dep, b.not) {
				out = append(out, fmt.Sprintf("%s pulls in %s: %s", p.path, dep, b.why))
			}
		}
	}
	return out
}

func ownerViolations(p pkg) (out []string) {
	for _, o := range owners {
		for _, imp := range p.imports {
			if within(imp, o.library) && !within(p.path, o.by) {
				out = append(out, fmt.Sprintf("%s imports %s, which only %s may: %s", p.path, imp, o.by, o.why))
			}
		}
	}
	return out
}

func shippedViolations(p pkg) (out []string) {
	if withinAny(p.path, notShipped) {
		return nil
	}
	for _, dep := range p.deps {
		if withinAny(dep, testOnly) && !(p.path == "cmd/tutti_devnet" && slices.Contains(simulation, dep)) {
			out = append(out, fmt.Sprintf("%s pulls in %s: code for tests is not shipped", p.path, dep))
		}
	}
	return out
}

// ours reports whether a path, shortened by listed, is of this module.
func ours(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	return slices.Contains([]string{"ai", "cmd", "config", "core", "eth", "pm", "server", "test", "transcoder"}, top)
}

// standard reports whether a path is of the standard library.
func standard(path string) bool {
	top, _, _ := strings.Cut(path, "/")
	return !strings.Contains(top, ".") && !ours(path)
}

func TestImportTable(t *testing.T) {
	t.Parallel()
	packages := listed(t)
	if len(packages) < 15 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	for _, v := range violations(packages) {
		t.Error(v)
	}
}

// The rules themselves: each must catch its own breach and let the rest pass.
func TestRulesCatch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		p    pkg
		want string
	}{
		{pkg{path: "core/x", imports: []string{"core/fault", "pm", "errors", "log/slog"},
			deps: []string{"net", "net/url", "os"}}, ""},
		{pkg{path: "core", imports: []string{"server/rpc"}}, "core imports server/rpc"},
		{pkg{path: "core/x", deps: []string{"net/http"}}, "core/x pulls in net/http"},
		{pkg{path: "core/x", deps: []string{"google.golang.org/grpc/codes"}}, "core/x pulls in google.golang.org/grpc/codes"},
		{pkg{path: "pm", imports: []string{"log/slog"}}, "pm imports log/slog"},
		{pkg{path: "pm/ledger", imports: []string{"log/slog", "database/sql", "core/database"}}, ""},
		{pkg{path: "server/a", imports: []string{"server/rpc", "core", "pm"}}, ""},
		{pkg{path: "server/a", imports: []string{"transcoder"}}, "server/a imports transcoder"},
		{pkg{path: "transcoder/pool", imports: []string{"config"}}, "transcoder/pool imports config"},
		{pkg{path: "ai", imports: []string{"eth"}}, "ai imports eth"},
		{pkg{path: "config", imports: []string{"server"}}, "config imports server"},
		{pkg{path: "cmd/tutti_cli", imports: []string{"server/admin"}}, "cmd/tutti_cli imports server/admin"},
		{pkg{path: "cmd/tutti", imports: []string{"server", "transcoder/libav", "config"}}, ""},
		{pkg{path: "cmd/tutti", imports: []string{"github.com/asticode/go-astiav"}}, "only transcoder/libav may"},
		{pkg{path: "transcoder/libav/clip", imports: []string{"github.com/asticode/go-astiav"}}, ""},
		{pkg{path: "transcoder/libavx", imports: []string{"github.com/asticode/go-astiav"}}, "only transcoder/libav may"},
		{pkg{path: "server/a", imports: []string{"github.com/golang/glog"}}, "only cmd/internal/logging may"},
		{pkg{path: "cmd/tutti", deps: []string{"github.com/ethereum/go-ethereum/eth/backend"}}, "a full Ethereum node"},
		{pkg{path: "cmd/tutti", deps: []string{"github.com/ethereum/go-ethereum/ethdb"}}, ""},
		{pkg{path: "server/a", deps: []string{"testing"}}, "server/a pulls in testing"},
		{pkg{path: "server/a", deps: []string{"test/devnet/control"}}, "server/a pulls in test/devnet/control"},
		{pkg{path: "cmd/tutti_devnet", deps: []string{"test/devnet/control"}}, ""},
		{pkg{path: "cmd/tutti_devnet", deps: []string{"test/devnet"}}, "cmd/tutti_devnet pulls in test/devnet"},
		{pkg{path: "server/a", deps: []string{"test/coretest"}}, "server/a pulls in test/coretest"},
		{pkg{path: "test/coretest", imports: []string{"core"}, deps: []string{"testing", "net/http"}}, ""},
		{pkg{path: "test/harness", deps: []string{"testing"}}, ""},
	}
	for _, tt := range tests {
		got := strings.Join(violations([]pkg{tt.p}), "\n")
		if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: got %q, want %q", tt.p, got, tt.want)
		}
	}
}
