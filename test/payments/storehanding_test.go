package payments

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/postgres"
)

// TestStoreAwayWhileTicketsAreHandedOver: the database of a node that leaves redeeming to another process goes away,
// and a round begins, for which its books are read. The node goes on, and says what it cannot read until it can.
func TestStoreAwayWhileTicketsAreHandedOver(t *testing.T) {
	t.Parallel()
	dir, err := postgres.Directory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server, err := postgres.New(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(true) })
	w := &world{T: t, chain: devnet.Start(t, devnet.Options{Endpoints: 1, BlockTime: l1Time, L1BlockTime: l1Time,
		RoundLength: roundLength, Args: []string{"-initializeRounds"}})}
	file := filepath.Join(t.TempDir(), "store")
	w.must(os.WriteFile(file, []byte(server.Database(t)+"\n"), 0o600))
	o := newParty(t, w.chain, "orchestrator")
	o.args = append(o.args, "-orchestrator", "-orchSecret", "secret", "-serviceAddr", o.front, "-httpAddr", o.front,
		"-pricePerUnit", pixelPrice, "-store", file, "-redeemerAddr", harness.Address(t))
	o.start()
	o.proc.Wait("the round", time.Minute, func() bool {
		_, body := harness.Get(t, "http://"+o.admin+"/roundInitialized")
		return string(body) == "true"
	})
	server.Stop(true)
	_, err = w.chain.Control.NextRound(t.Context(), true)
	w.must(err)
	const about = "handing tickets over"
	o.proc.Wait("the condition", time.Minute, func() bool { return strings.Contains(o.said("condition set"), about) })
	w.must(server.Start())
	o.proc.Wait("its end", time.Minute, func() bool { return strings.Contains(o.said("condition cleared"), about) })
	o.stop(false)
}
