package split

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/netlab"
)

// adminPort is every process's own: each has a host to itself.
const adminPort = "7935"

// machine is a host with one node on it, over all lives of its process.
type machine struct {
	t       *testing.T
	host    *netlab.Host
	name    string
	dir     string
	account core.Address
	args    []string
	proc    *harness.Process
	client  *http.Client
}

const passphrase = "open sesame"

// tenEther is what an account begins with.
var tenEther = core.NewWei(10_000_000_000_000_000_000)

func newMachine(t *testing.T, lab *netlab.Lab, name string, args ...string) *machine {
	t.Helper()
	m := &machine{t: t, host: lab.Host(name), name: name, dir: t.TempDir()}
	m.client = &http.Client{Timeout: 60 * time.Second, Transport: &http.Transport{
		DialContext:     m.host.Dial,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, MaxIdleConnsPerHost: 16,
	}}
	t.Cleanup(m.client.CloseIdleConnections)
	m.args = append([]string{"-dataDir", m.dir, "-cliAddr", "127.0.0.1:" + adminPort, "-v", "6"}, args...)
	return m
}

// onChain gives the machine an account with 10 ETH, and a way to the chain.
func (m *machine) onChain(chain *devnet.Chain) {
	m.t.Helper()
	pass := filepath.Join(m.dir, "passphrase")
	if err := os.WriteFile(pass, []byte(passphrase), 0o600); err != nil {
		m.t.Fatal(err)
	}
	e, err := account.Open(filepath.Join(m.dir, "keystore"), devnet.KeyCost).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	if err != nil {
		m.t.Fatal(err)
	}
	m.account = e.Address
	if err := chain.Control.Fund(m.t.Context(), common.Address(m.account), tenEther); err != nil {
		m.t.Fatal(err)
	}
	for _, at := range chain.Info.Endpoints {
		m.forward(at)
	}
	m.args = append(m.args, "-network", "devnet", "-ethUrl", strings.Join(chain.Info.Endpoints, ","), "-ethPassword",
		pass, "-blockPollingInterval", "1s")
}

// forward makes a server of this machine's loopback reachable at the same address
// there.
func (m *machine) forward(at string) {
	m.t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		m.t.Fatal(err)
	}
	m.host.Forward(u.Port(), u.Host)
}

// start starts the process and waits until it serves.
func (m *machine) start() {
	m.t.Helper()
	command := m.host.Command(m.t.Context(), filepath.Join(bin, "tutti"), m.args...)
	m.proc = harness.Start(m.t, command.Path, command.Args[1:]...)
	m.proc.Wait(m.name+" to serve", 60*time.Second, func() bool { return m.get("/healthz", nil) == nil })
}

// kill ends the process at once.
func (m *machine) kill() {
	m.t.Helper()
	m.proc.Signal(syscall.SIGKILL)
	m.proc.Exit(10 * time.Second)
}

// get reads an answer of the machine's admin API.
func (m *machine) get(path string, into any) error {
	resp, err := m.client.Get("http://127.0.0.1:" + adminPort + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(body, into)
}

// worker is what the orchestrator says of a worker, nil when it has none of the name.
func (m *machine) worker(name string) *adminapi.Worker {
	var all adminapi.Workers
	if m.get(adminapi.PathWorkers, &all) != nil {
		return nil
	}
	for i := range all.Workers {
		if all.Workers[i].Name == name {
			return &all.Workers[i]
		}
	}
	return nil
}

// cli runs tutti_cli on the machine until it succeeds.
func (m *machine) cli(words ...string) string {
	m.t.Helper()
	args := append([]string{"--url", "http://127.0.0.1:" + adminPort, "--token-file", filepath.Join(m.dir, "admin.token"),
		"--yes", "--no-color"}, words...)
	var out string
	m.proc.Wait("tutti_cli "+strings.Join(words, " "), 90*time.Second, func() bool {
		command := m.host.Command(m.t.Context(), filepath.Join(bin, "tutti_cli"), args...)
		command.Env = append(os.Environ(), "HOME="+m.dir)
		text, err := command.CombinedOutput()
		if _, exited := err.(*exec.ExitError); err != nil && !exited {
			m.t.Fatal(err)
		}
		out = string(text)
		return err == nil
	})
	return out
}
