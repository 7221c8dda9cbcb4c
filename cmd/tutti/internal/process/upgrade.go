package process

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/liverunner"
)

// An upgrade replaces the running process by a successor:
//
//  1. The old process starts the program file on disk with the same command line, its
//     listening sockets and a pipe to the old process.
//  2. The successor reads its configuration, starts media workers for the old process's
//     GPUs and waits. If it fails before this, the old process continues unchanged.
//  3. The old process asks its peers to reconnect, stops accepting, finishes its segments
//     and closes ledger and database. New connections wait in the sockets' backlog.
//  4. The old process passes on its handover state. The successor opens the data directory
//     and serves.
//  5. Model answers, which are billed when they begin, finish in the old process, which
//     exits after the last one.
//
// A successor that fails after step 3 is stopped, and the old program, which the system
// still has open, is started in the same way.

const (
	// handOverEnv lists the names of the sockets that a successor gets, separated by commas.
	handOverEnv = "NODE_HANDOVER"
	// cardsEnv holds the predecessor's findings about its GPUs. It is no part of the handover
	// state, which is passed later. A program that does not know it ignores it.
	cardsEnv = "NODE_HANDOVER_CARDS"
	// waitingTime limits how long a successor reads its configuration, upTime how long it
	// takes until it serves.
	waitingTime = time.Minute
	upTime      = 2 * time.Minute
	// answersTime bounds the answers that the old process finishes.
	answersTime = 30 * time.Minute
)

// word is a message from the successor about its state.
type word string

const (
	// wordWaiting carries the version of the handover protocol, so that an incompatible
	// successor is noticed while the old process still serves. A change of the handover state
	// changes the version.
	wordWaiting word = "waiting 2"
	wordReady   word = "ready"
)

// handoverState is the state that the old process passes on besides the data directory.
type handoverState struct {
	Token        pm.Secret
	Orchestrator orchestrate.HandoverState
	// Live is nil where the node has no live runners. A process that does not know the field drops it.
	Live *liverunner.State
	// AfterEnd: parts of the old process have not stopped, so that the data directory is
	// free only when all of it has ended.
	AfterEnd bool
}

// predecessor is the connection to the old process.
type predecessor struct {
	conn  net.Conn
	in    *gob.Decoder
	out   *gob.Encoder
	state handoverState
	// cards is its findings about the GPUs.
	cards string
}

// inherit finds the old process that started this one, nil for none, and the sockets that it
// passed on. It removes the variables from the environment, so that children do not get them.
func inherit() (*predecessor, sockets, error) {
	names, ok := os.LookupEnv(handOverEnv)
	if !ok {
		return nil, nil, nil
	}
	cards := os.Getenv(cardsEnv)
	os.Unsetenv(handOverEnv)
	os.Unsetenv(cardsEnv)
	f := os.NewFile(firstSocket, "predecessor")
	conn, err := net.FileConn(f)
	f.Close()
	if err != nil {
		return nil, nil, fault.Wrap(fault.UpgradeFailed, "find the old process", err)
	}
	p := &predecessor{cards: cards, conn: conn, in: gob.NewDecoder(conn), out: gob.NewEncoder(conn)}
	if names == "" {
		return p, nil, nil
	}
	list := strings.Split(names, ",")
	all, err := listenersOf(firstSocket+1, len(list), list)
	return p, all, err
}

// await reports that this process is ready to take over, and waits for the state.
func (p *predecessor) await(ctx context.Context) (*handoverState, error) {
	stop := context.AfterFunc(ctx, func() { p.conn.Close() })
	defer stop()
	err := p.out.Encode(wordWaiting)
	if err == nil {
		err = p.in.Decode(&p.state)
	}
	if err != nil {
		return nil, fault.Wrap(fault.UpgradeFailed, "take over from the old process", err)
	}
	if p.state.AfterEnd {
		_ = p.in.Decode(new(word)) // it sends nothing more: the connection ends with it
	}
	return &p.state, nil
}

// ready reports that this process serves. The connection stays open while the node may have requests
// in the old process.
func (p *predecessor) ready(log interface{ Info(string, ...any) }, node *Parts) {
	if err := p.out.Encode(wordReady); err != nil {
		log.Info("the old process is gone", "err", err)
	}
	if !node.shares() {
		p.conn.Close()
		return
	}
	run, _ := share(node.linkBefore, p.conn, p.in, p.out)
	go run()
}

// successor is a process that was started to take this one's place.
type successor struct {
	cmd   *exec.Cmd
	conn  net.Conn
	in    *gob.Decoder
	out   *gob.Encoder
	ended chan struct{}
	files []*os.File
	names string
	cards string
}

// Upgrade starts the program on disk. It returns when the new process is ready to take over.
// The fault is UpgradeFailed if that fails.
func (p *Process) Upgrade(ctx context.Context) (adminapi.Upgrade, error) {
	if err := p.mayUpgrade(); err != nil {
		return adminapi.Upgrade{}, err
	}
	s, binary, err := p.start(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.upgrading = false
	if why := p.changed(); err == nil && why != "" {
		s.abandon()
		err = errors.New(why)
	}
	if err != nil {
		err = &fault.Fault{Code: fault.UpgradeFailed, Op: "upgrade", Detail: err.Error(), Err: err}
	}
	p.node.Board.Report(health.Key{Code: fault.UpgradeFailed}, err)
	if err != nil {
		return adminapi.Upgrade{}, err
	}
	p.log.Info("a new process waits to take over", "process", s.cmd.Process.Pid, "binary", binary)
	p.after = s
	close(p.handOver)
	return adminapi.Upgrade{PID: s.cmd.Process.Pid, Binary: binary}, nil
}

// mayUpgrade begins an upgrade, or says why there can be none.
func (p *Process) mayUpgrade() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	const op = "upgrade"
	switch {
	case noUpgrade != "":
		return fault.New(fault.UpgradeRefused, op, noUpgrade)
	case os.Getpid() == 1:
		return fault.New(fault.UpgradeRefused, op, "this is the first process of its container, which ends with it")
	case p.after != nil, p.upgrading:
		return fault.New(fault.UpgradeRefused, op, "an upgrade is under way")
	case containerInit(os.Getppid()):
		return fault.New(fault.UpgradeRefused, op, "the first process of the container waits for this one, and ends with it")
	case p.halting || p.asked:
		return fault.New(fault.UpgradeRefused, op, "the node is stopping")
	case p.drain.Draining():
		return fault.New(fault.UpgradeRefused, op,
			"the node is draining, and a new process would take work: end the drain first, or let the node stop")
	}
	p.upgrading = true
	return nil
}

// changed returns why the new process must not take over, because of what happened while it
// started; "" if it may. The caller holds mu.
func (p *Process) changed() string {
	switch {
	case p.halting || p.asked:
		return "the node was stopped meanwhile"
	case p.drain.Draining():
		return "a drain began meanwhile"
	}
	return ""
}

// start starts the program on disk with the sockets of this process.
func (p *Process) start(ctx context.Context) (*successor, string, error) {
	binary, err := onDisk()
	if err != nil {
		return nil, "", err
	}
	names, files, err := p.node.Sockets()
	if err != nil {
		return nil, "", err
	}
	s, err := begin(ctx, binary, names, p.node.Cards(), files)
	if err != nil {
		CloseAll(files)
	}
	return s, binary, err
}

// onDisk returns the path from which the program was started. The kernel appends " (deleted)"
// to the path of a file that was replaced.
func onDisk() (string, error) {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return os.Executable()
	}
	return strings.TrimSuffix(path, " (deleted)"), nil
}

// itself is the running program, even if its file was replaced or removed.
const itself = "/proc/self/exe"

// begin starts a program and waits until it is ready to take over.
func begin(ctx context.Context, binary, names, cards string, files []*os.File) (*successor, error) {
	ours, theirs, err := pair()
	if err != nil {
		return nil, err
	}
	s := &successor{ended: make(chan struct{}), files: files, names: names, cards: cards}
	s.conn, err = net.FileConn(ours)
	ours.Close()
	if err != nil {
		theirs.Close()
		return nil, err
	}
	s.in, s.out = gob.NewDecoder(s.conn), gob.NewEncoder(s.conn)
	s.cmd = exec.Command(binary, os.Args[1:]...)
	s.cmd.Args[0] = os.Args[0]
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	s.cmd.Env = append(childEnv(), handOverEnv+"="+names, cardsEnv+"="+cards)
	s.cmd.ExtraFiles = append([]*os.File{theirs}, files...)
	err = s.cmd.Start()
	theirs.Close() // so that its end is noticed
	unblock(files)
	if err != nil {
		return nil, errors.Join(err, s.conn.Close())
	}
	go func() {
		_ = s.cmd.Wait()
		close(s.ended)
	}()
	if err := s.await(ctx, wordWaiting, waitingTime); err != nil {
		s.giveUp()
		return nil, err
	}
	return s, nil
}

// childEnv returns the environment without what the service manager meant for this process only.
func childEnv() (out []string) {
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "WATCHDOG_PID=") {
			out = append(out, e)
		}
	}
	return out
}

// await waits for a message.
func (s *successor) await(ctx context.Context, want word, limit time.Duration) error {
	_ = s.conn.SetReadDeadline(time.Now().Add(limit))
	stop := context.AfterFunc(ctx, func() { _ = s.conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var got word
	if err := s.in.Decode(&got); err != nil {
		select {
		case <-s.ended:
			return fmt.Errorf("the new process ended with %s", s.cmd.ProcessState)
		case <-time.After(time.Second):
			return fmt.Errorf("the new process sends nothing: %w", err)
		}
	}
	if got != want {
		return fmt.Errorf("the new process sent %q", got)
	}
	return nil
}
