package payments

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/postgres"
)

// shared is a world whose two orchestrators have one recipient and one database.
type shared struct {
	*world
	server  *postgres.Server
	address string
	// file has the address, as -store takes it.
	file string
}

func newShared(t *testing.T) *shared {
	t.Helper()
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
	s := &shared{server: server, address: server.Database(t), file: filepath.Join(t.TempDir(), "store")}
	s.world = &world{T: t, chain: devnet.Start(t, devnet.Options{
		Endpoints: 1, BlockTime: l1Time, L1BlockTime: l1Time, RoundLength: roundLength, Args: []string{"-initializeRounds"},
	})}
	s.must(os.WriteFile(s.file, []byte(s.address+"\n"), 0o600))
	s.must(s.chain.Control.SetBaseFee(t.Context(), baseFee))
	models := s.models()
	fronts := ""
	for i := range 2 {
		o := newParty(t, s.chain, fmt.Sprintf("orchestrator %d", i+1))
		o.args = append(o.args, "-orchestrator", "-transcoder", "-aiWorker", "-aiModels", models, "-aiAllowUnverified",
			"-store", s.file,
			"-serviceAddr", o.front, "-httpAddr", o.front, "-pricePerUnit", pixelPrice)
		if i > 0 { // its own key sends transactions and signs; tickets are paid to the first
			o.args = append(o.args, "-ethOrchAddr", s.orchestrators[0].account.String())
			fronts += ","
		}
		fronts += o.front
		s.orchestrators = append(s.orchestrators, o)
	}
	first := s.orchestrators[0]
	s.must(s.chain.Control.FundLPT(t.Context(), common.Address(first.account), core.LPTTokens(1000)))
	for _, o := range s.orchestrators {
		o.start()
	}
	first.cli("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000", "--service-uri",
		"https://"+first.front, "--price-per-unit", pixelPrice)
	g := newParty(t, s.chain, "gateway")
	g.args = append(g.args, "-gateway", "-httpAddr", g.front, "-orchAddr", fronts, "-transcodingOptions",
		"P144p30fps16x9,P240p30fps16x9")
	g.start()
	g.cli("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	s.gateways = append(s.gateways, g)
	_, err = s.chain.Control.NextRound(t.Context(), true)
	s.must(err)
	return s
}

// bookLine is what `tutti ledger books -json` says of one.
type bookLine struct {
	Book           string
	InUse, Redeems bool
	Waiting        int
}

func (s *shared) books() (out []bookLine) {
	s.Helper()
	text, status := harness.Output(s.T, filepath.Join(bin, "tutti"), "ledger", "books", "-json", "-store", s.file)
	if status != 0 {
		s.Fatalf("tutti ledger books: %d\n%s", status, text)
	}
	s.must(json.Unmarshal([]byte(text), &out))
	return out
}

// leader is the book of the node that redeems for all, "" for none.
func (s *shared) leader() string {
	for _, b := range s.books() {
		if b.Redeems {
			return b.Book
		}
	}
	return ""
}

func (s *shared) bookOf(o *party) string {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(o.dir, "book"))
	s.must(err)
	return string(text[:len(text)-1])
}

// TestStoreFailover kills the node that redeems for all while both are paid: the other
// takes over, and nothing is lost or doubled.
func TestStoreFailover(t *testing.T) {
	s := newShared(t)
	tr := s.traffic()
	s.flowsOn(tr)
	victim, survivor := s.orchestrators[0], s.orchestrators[1]
	if s.leader() == s.bookOf(survivor) {
		victim, survivor = survivor, victim
	}
	victim.stop(true)
	killed := time.Now()
	survivor.proc.Wait("the other node to redeem", 15*time.Second, func() bool { return s.leader() == s.bookOf(survivor) })
	t.Logf("another node redeems %v after the kill", time.Since(killed).Round(10*time.Millisecond))
	s.flowsOn(tr)

	// The database goes away and comes back.
	s.server.Stop(true)
	survivor.proc.Wait("the condition", 20*time.Second, func() bool { return len(survivor.said("StoreUnreachable")) > 0 })
	s.must(s.server.Start())
	s.flowsOn(tr)
	tr.end()

	survivor.proc.Wait("all winners to be redeemed", 2*time.Minute, func() bool {
		for _, b := range s.books() {
			if b.Waiting > 0 {
				return false
			}
		}
		return s.ended()
	})
	survivor.stop(false)
	s.gateways[0].stop(false)
	s.verify(tr)
}

// flowsOn waits until more jobs are served.
func (s *shared) flowsOn(tr *traffic) {
	s.Helper()
	segments, answers := tr.segments.Load(), tr.answers.Load()
	s.gateways[0].proc.Wait("jobs that are served", 60*time.Second, func() bool {
		return tr.segments.Load() >= segments+4 && tr.answers.Load() >= answers+60
	})
}

// ended reports whether every winner is in a block, and some for as long as it takes to
// be final: to wait for the last one would be most of the test.
func (s *shared) ended() bool {
	s.Helper()
	final := false
	all := s.winners()
	for i := range all {
		if state := all[i].State; !state.Ended() && state != pm.TicketMined {
			return false
		}
		final = final || all[i].State == pm.TicketFinal
	}
	return final
}

// winners are those of all books.
func (s *shared) winners() []pm.Winner {
	s.Helper()
	st, err := nodedb.ParseStore(s.address)
	s.must(err)
	db := st.SharedReader()
	defer db.Close()
	all, err := ledger.SharedReader(db).Winners(s.Context(), ledger.Filter{})
	s.must(err)
	return all
}

// verify compares both sides' books, and the books with the chain.
func (s *shared) verify(tr *traffic) {
	s.Helper()
	b := newBooks()
	for _, g := range s.gateways {
		s.readSpent(b, g)
	}
	for _, o := range s.orchestrators {
		args := []string{"ledger", "verify", "-dataDir", o.dir, "-store", s.file}
		if text, status := harness.Output(s.T, filepath.Join(bin, "tutti"), args...); status != 0 {
			s.Errorf("tutti ledger verify of %s: %d\n%s", o.name, status, text)
		}
		st, err := nodedb.ParseStore(s.address + "&book=" + s.bookOf(o))
		s.must(err)
		db := st.BookReader()
		reader, err := ledger.NewReader(s.Context(), db)
		s.must(err)
		s.readBook(b, reader)
		s.must(db.Close())
	}
	open := s.agree(b)
	for i := range b.winners {
		if w := &b.winners[i]; w.State == pm.TicketMined {
			w.State = pm.TicketFinal // the chain is read below
		}
	}
	ends := s.explained(b)
	if ends[string(pm.TicketFinal)] == 0 {
		s.Error("no ticket was redeemed")
	}
	redeemed := s.chainRedeemed()
	sum := new(big.Int)
	for _, w := range b.winners {
		if w.State == pm.TicketFinal {
			sum.Add(sum, w.Ticket.FaceValue.Big())
			redeemed[w.Tx.String()]--
		}
	}
	for tx, n := range redeemed {
		if n != 0 {
			s.Errorf("transaction %s redeemed %d tickets more than the books say", tx, n)
		}
	}
	s.Logf("jobs: %d segments and %d answers served, %d and %d failed; books: %s; %d tickets only the gateways know of",
		tr.segments.Load(), tr.answers.Load(), tr.lostSegments.Load(), tr.lostAnswers.Load(), b, open)
	s.Logf("winners: %d, %v, %d gwei", len(b.winners), ends, sum.Div(sum, big.NewInt(1e9)))
}

// chainRedeemed counts the chain's redemptions by transaction.
func (s *shared) chainRedeemed() map[string]int {
	s.Helper()
	c, err := ethclient.DialContext(s.Context(), s.chain.Info.Endpoints[0])
	s.must(err)
	defer c.Close()
	topic := crypto.Keccak256Hash([]byte("WinningTicketRedeemed(address,address,uint256,uint256,uint256,uint256,bytes)"))
	logs, err := c.FilterLogs(s.Context(), ethereum.FilterQuery{Topics: [][]common.Hash{{topic}}})
	s.must(err)
	out := map[string]int{}
	for _, l := range logs {
		out["0x"+common.Bytes2Hex(l.TxHash[:])]++
	}
	return out
}
