package bounds

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/adversary"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/procfs"
)

// container is a script that starts the program with mounts of its own, in which its control group
// has a memory limit. The limit is shown and not enforced.
const container = `#!/bin/sh
exec unshare %s --mount sh -c 'mount -t tmpfs groups /sys/fs/cgroup && echo %d >/sys/fs/cgroup/memory.max &&
	mount --bind %s /proc/$$/cgroup && exec %s "$@"' sh "$@"
`

// inContainer returns a script that starts the node in a container with a memory limit.
func inContainer(t *testing.T, limit int64) string {
	t.Helper()
	dir := t.TempDir()
	own, script := filepath.Join(dir, "cgroup"), filepath.Join(dir, "tutti")
	user := "--user --map-root-user"
	if os.Getuid() == 0 {
		user = ""
	}
	must(t, os.WriteFile(own, []byte("0::/\n"), 0o600))
	must(t, os.WriteFile(script, fmt.Appendf(nil, container, user, limit, own, node), 0o700))
	return script
}

// TestStrangersFillNoSmallContainer: peers with tokens that cost nothing send as many large bodies
// as they can to a node that may use 512 MB. Bodies fill only a part of that, so that the system
// does not end the node.
func TestStrangersFillNoSmallContainer(t *testing.T) {
	const limit = 512 << 20
	s := &started{front: harness.Address(t), admin: harness.Address(t)}
	s.Process = harness.Start(t, inContainer(t, limit), "-orchestrator", "-transcoder", "-serviceAddr", s.front,
		"-httpAddr", s.front, "-cliAddr", s.admin, "-dataDir", t.TempDir())
	s.WaitHTTP("https://" + s.front + "/healthz")
	length := 6 * time.Second
	if adversary.Long() {
		length = 30 * time.Second
	}
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	token := freeToken(t, s.front)
	var wg sync.WaitGroup
	for n := range 6 {
		wg.Go(func() { fillUploads(ctx, strangerAt(n, s.front), token) })
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		wg.Wait()
	}()
	if peak := peakOf(s.PID(), over); peak > limit/4*3 {
		t.Errorf("the node took %d MB of %d MB, its media worker needs some too", peak>>20, limit>>20)
	} else {
		t.Logf("at most %d MB, now %d MB", peak>>20, procfs.Resident(s.PID())>>20)
	}
	g := gateway(t, 0, s.front)
	seg := segments(t, 1)[0]
	g.Wait("a segment after the attack", 60*time.Second, func() bool { return push(g.base(), "after", 0, seg) == nil })
}

// freeToken returns what an off-chain orchestrator gives every peer that asks.
func freeToken(t *testing.T, front string) *rpc.AuthToken {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+front,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	must(t, err)
	defer conn.Close()
	info, err := rpc.NewOrchestratorClient(conn).GetOrchestrator(t.Context(), &rpc.OrchestratorRequest{})
	must(t, err)
	return info.GetAuthToken()
}

// fillUploads sends segments that do not end from one address, of sizes that fill what is left.
func fillUploads(ctx context.Context, s *stranger, token *rpc.AuthToken) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: s.ip}}).DialContext}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			size := []int{64<<20 + 1, 16<<20 + 1, 4<<20 + 1, 1<<20 + 1}[n%4]
			for number := 100 * n; ctx.Err() == nil; number++ {
				// It begins again after a while: what was in use becomes garbage.
				turn, cancel := context.WithTimeout(ctx, 3*time.Second)
				sendUnended(turn, client, s.to, core.SegmentNumber(number), token, size)
				cancel()
			}
		})
	}
	wg.Wait()
}

// sendUnended sends so many bytes of a segment and waits for ctx or the answer.
func sendUnended(ctx context.Context, client *http.Client, to string, number core.SegmentNumber, token *rpc.AuthToken,
	size int) {
	meta := rpc.SegmentMeta{Manifest: core.ManifestID(token.GetSessionId()), Number: number, Hash: [32]byte{1},
		Profiles: []core.Profile{{Name: "tiny", Width: 64, Height: 36, Bitrate: 10_000, FPS: core.Framerate{Num: 1, Den: 1}}},
		Token:    token, Duration: 2 * time.Second}
	head, err := rpc.EncodeHeader(rpc.ToSegData(&meta))
	if err != nil {
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://"+to+"/segment", &unended{ctx, size})
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "video/MP2T")
	req.Header.Set("Livepeer-Segment", head)
	if resp, err := client.Do(req); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

// unended is a body of so many bytes that then stalls.
type unended struct {
	ctx  context.Context
	left int
}

func (b *unended) Read(p []byte) (int, error) {
	if b.left == 0 {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	n := min(len(p), b.left)
	clear(p[:n])
	b.left -= n
	return n, nil
}
