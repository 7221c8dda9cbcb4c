package doctorcmd

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

// glog has one goroutine for as long as a program runs.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/golang/glog.(*fileSink).flushDaemon"))
}

// seen is the world with these flags, on ports that no other process has.
func seen(t *testing.T, args ...string) (*doctor.World, *config.Config) {
	t.Helper()
	base := []string{"-cliAddr", "127.0.0.1:" + strconv.Itoa(freePort(t))}
	args = append(base, args...)
	in := config.Input{Args: args, ReadFile: os.ReadFile, Home: t.TempDir()}
	cfg, notices, problems := config.Load(in)
	return New(Options{
		Config: cfg, Notices: notices, Problems: problems, Args: args, Version: "1",
		LockNames: []string{"gateway.lock", "chain.lock"}, Now: time.Now,
		LoadModels: func([]models.Device) (*models.Config, []models.Notice, error) {
			return models.Load(models.Options{Value: cfg.AI.Models, ReadFile: os.ReadFile, Offchain: true})
		},
		Images: func() (docker.Images, error) { return docker.Images{}, nil },
		Passphrase: func() (core.Secret, error) {
			if cfg.Chain.Password.IsZero() {
				return core.Secret{}, fault.New(fault.AccountPasswordMissing, "look", "none")
			}
			return cfg.Chain.Password, nil
		},
	}), cfg
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

func get[T any](t *testing.T, p doctor.Probe[T]) T {
	t.Helper()
	v, err := p.Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func has(findings []doctor.Finding, code fault.Code) bool {
	for _, f := range findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

func TestMachine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir+"/a/tutti", "", 0o644)
	good := write(t, dir+"/b/tutti", "", 0o755)
	if at, not := onPath("tutti", dir+"/none:"+dir+"/a:"+dir+"/b"); at != good || len(not) != 1 {
		t.Errorf("found %q, not executable %q", at, not)
	}
	for text, want := range map[string]bool{
		"[Service]\nExecStart=/usr/bin/tutti -orchestrator\n": true, "ExecStart=-/opt/livepeer -x": true,
		"ExecStart=/usr/bin/env FOO=1 tutti": true, "ExecStart=/usr/bin/nginx # tuttix": false, "": false,
	} {
		if startsTutti(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
	w, _ := seen(t, "-log_dir", dir+"/none")
	if m := get(t, w.Machine); m.Processors < 1 || m.Files == 0 || m.LogDir == nil {
		t.Errorf("%+v", m)
	}
	if toolkit(dir) {
		t.Error("an empty machine has a toolkit")
	}
	write(t, dir+"/etc/cdi/nvidia.yaml", "", 0o644)
	if !toolkit(dir) {
		t.Error("a CDI device is no toolkit")
	}
	if c := get(t, w.Clock); c.Known && c.Off < 0 {
		t.Errorf("%+v", c)
	}
}

func TestDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir() + "/data"
	w, _ := seen(t, "-dataDir", dir)
	d := get(t, w.Storage)
	if d.Exists || d.CreateDir == nil || d.Size == 0 {
		t.Fatalf("missing: %+v", d)
	}
	if err := d.CreateDir.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/tutti.db", "this is no database, and long enough to be looked at as one "+
		"............................................", 0o600)
	lock, err := os.OpenFile(dir+"/chain.lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	_, _ = lock.WriteString("4711\n")
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	w, _ = seen(t, "-dataDir", dir)
	d = get(t, w.Storage)
	if !d.Exists || !d.Writable || d.Mode != 0o755 || d.Holder != "4711" || !has(d.Findings, fault.LedgerDamaged) {
		t.Errorf("%+v", d)
	}
	_ = syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	if err := d.RestrictMode.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	w, _ = seen(t, "-dataDir", dir)
	if d = get(t, w.Storage); d.Mode != 0o700 || d.Holder != "" {
		t.Errorf("%+v", d)
	}
	w, _ = seen(t, "-dataDir", write(t, t.TempDir()+"/file", "", 0o600))
	if d = get(t, w.Storage); d.Err == nil {
		t.Errorf("a file: %+v", d)
	}
}

func TestStaleSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "doctor")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := dir + "/admin.sock"
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	w, _ := seen(t, "-dataDir", dir, "-adminSocket", path)
	if d := get(t, w.Storage); d.StaleSocket != "" {
		t.Errorf("a process listens: %+v", d)
	}
	_ = l.Close()
	w, _ = seen(t, "-dataDir", dir, "-adminSocket", path)
	d := get(t, w.Storage)
	if d.StaleSocket != path || d.RemoveSocket.Run(t.Context()) != nil || exists(path) {
		t.Errorf("%+v", d)
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	w, _ := seen(t, "-orchestrator", "-transcoder", "-httpAddr", l.Addr().String())
	ports := get(t, w.Ports)
	if len(ports) != 2 || ports[0].Purpose != "public" || !strings.Contains(ports[0].Taken, strconv.Itoa(os.Getpid())) ||
		ports[0].Ours || ports[1].Taken != "" {
		t.Errorf("%+v", ports)
	}
	w, _ = seen(t, "-orchestrator", "-transcoder", "-httpAddr", "192.0.2.1:8935")
	if ports = get(t, w.Ports); ports[0].Denied == "" {
		t.Errorf("another machine's address: %+v", ports[0])
	}
}

// TestPortsDisturbNobody: a node that starts while the doctor looks gets its port.
func TestPortsDisturbNobody(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	ctx, cancel := context.WithCancel(t.Context())
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		for ctx.Err() == nil {
			_ = checkBind(ctx, addr)
		}
	}()
	for range 300 {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Errorf("the node does not start: %v", err)
			break
		}
		_ = l.Close()
	}
	cancel()
	<-looked
}

func TestSecretPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pass := write(t, dir+"/pass", "geheim", 0o644)
	file := write(t, dir+"/tutti.conf", "orchSecret hunter2hunter2\n", 0o640)
	write(t, dir+"/data/admin.token", "t", 0o600)
	w, _ := seen(t, "-config", file, "-dataDir", dir+"/data", "-orchestrator", "-transcoder", "-network",
		"arbitrum-one-mainnet",
		"-ethUrl=https://rpc.example/v3/key", "-ethPassword", pass, "-pricePerUnit", "1")
	places := map[string]doctor.SecretLocation{}
	for _, p := range get(t, w.Secrets) {
		places[p.Option] = p
	}
	if p := places["ethUrl"]; p.File || p.Where != "argument" {
		t.Errorf("%+v", p)
	}
	if p := places["ethPassword"]; p.Where != pass || p.Mode != 0o644 || p.Repair.Run(t.Context()) != nil {
		t.Errorf("%+v", p)
	}
	if info, _ := os.Stat(pass); info.Mode().Perm() != 0o600 {
		t.Errorf("repaired to %s", info.Mode())
	}
	if p := places["config"]; p.Where != file || p.Mode != 0o640 {
		t.Errorf("%+v", p)
	}
	if p := places["admin.token"]; p.Mode != 0o600 {
		t.Errorf("%+v", p)
	}
	if w.Setup.WorkerSecret != 14 || shortest("abc\n\nlonger one\n") != 3 {
		t.Errorf("secret of %d characters", w.Setup.WorkerSecret)
	}
	if got := variable([]string{"A=1", "LP_ETHURL=x"}, "LP_ETHURL"); got != "x" {
		t.Error(got)
	}
}

func TestSetup(t *testing.T) {
	t.Parallel()
	w, _ := seen(t, "-orchestrator", "-transcoder", "-network", "arbitrum-one-mainnet", "-ethUrl",
		"https://u:p@rpc.example/k", "-pricePerUnit", "0.5", "-serviceAddr", "10.0.0.1:8935")
	s := w.Setup
	if len(s.Problems) != 1 || s.Problems[0].Code != fault.PriceImplausible ||
		!strings.Contains(s.Problems[0].Detail, "pricePerUnit") {
		t.Errorf("%+v", s.Problems)
	}
	if !s.Private || s.Host != "10.0.0.1" || s.Reward != "auto" || s.OffChain || !s.Roles.Orchestrator || s.AdminOpen {
		t.Errorf("%+v", s)
	}
	text, _ := json.Marshal(s)
	if strings.Contains(string(text), "u:p") {
		t.Error("a secret is in it")
	}
}

// TestPackagedConfiguration: root's file that the node's group reads is as a package
// leaves it, and mending keeps it readable for the node.
func TestPackagedConfiguration(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root gives files to another group")
	}
	path := write(t, t.TempDir()+"/tutti.conf", "orchSecret hunter2hunter2\n", 0o644)
	if err := os.Chown(path, 0, 4711); err != nil {
		t.Skip(err)
	}
	p := place("config", path)
	if !p.Group || p.Repair.Run(t.Context()) != nil {
		t.Fatalf("%+v", p)
	}
	if p = place("config", path); p.Mode != 0o640 {
		t.Errorf("repaired to %04o", p.Mode)
	}
}

// A repair changes the file that was looked at: not, as root in the service's directory, what
// a link there leads to.
func TestRepairsFollowNoLinkElsewhere(t *testing.T) {
	t.Parallel()
	other, link := filepath.Join(t.TempDir(), "other"), filepath.Join(t.TempDir(), "admin.token")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range []error{os.Chmod(other, 0o644), os.Symlink(other, link)} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if err := chmod(link, 0o600).Run(t.Context()); err == nil {
		t.Error("a link elsewhere was followed")
	}
	if info, err := os.Stat(other); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := chmod(other, 0o600).Run(t.Context()); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(other); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}
