//go:build cgo

package ledger_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// callers is how many payments come at once.
const callers = 32

// ticketsPerSet is after how many tickets a payer has fresh parameters.
const ticketsPerSet = 8

// block is after how many payments a layer-1 block comes, with accounts of its own.
const block = 4800

// payment is the nth, with so many tickets in it, and a winner if one is wanted.
func payment(n, tickets int, wins bool) pm.Entries {
	var secret protocol.Word
	binary.BigEndian.PutUint64(secret[:], uint64(n/ticketsPerSet)+1)
	p := pm.Params{
		Recipient: core.Address{1}, FaceValue: core.NewWei(1e15), WinProb: protocol.Word{0x01, 0x23},
		RecipientRandHash: pm.RandHash(secret),
		ExpirationBlock:   protocol.L1Block(10 + n/block), Expiration: pm.Expiration{Round: protocol.Round(1 + n/block/10),
			BlockHash: protocol.Hash{7}},
	}
	set := n / ticketsPerSet * ticketsPerSet
	p.ExpirationBlock = protocol.L1Block(10 + set/block)
	owner := pm.Account{Sender: sender(byte(set % 16)), Key: core.ManifestID("stream-" +
		strconv.Itoa(set/block*16+set%16))}
	c := pm.Credit{
		Account: owner, Session: core.SessionID(owner.Key), RandHash: p.RecipientRandHash, FaceValue: p.FaceValue,
		WinProb:         p.WinProb,
		ExpirationBlock: p.ExpirationBlock, Round: p.Expiration.Round, At: start,
	}
	first := uint32(n%ticketsPerSet*tickets) + 1
	for i := range uint32(tickets) {
		c.Nonces = append(c.Nonces, first+i)
	}
	e := pm.Entries{Credits: []pm.Credit{c}}
	if wins {
		e.Winners = []pm.Winner{{
			Hash: p.TicketHash(owner.Sender, first), Ticket: p.Winning(owner.Sender, pm.Signed{Nonce: first}, secret),
			ExpirationBlock: p.ExpirationBlock, Account: owner, Credited: true, Won: start,
		}}
	}
	return e
}

// pay appends payments from many callers at once and returns how long each waited.
func pay(t testing.TB, b *books, from, to, tickets int, wins bool) []time.Duration {
	t.Helper()
	took := make([]time.Duration, to-from)
	var next atomic.Int64
	next.Store(int64(from))
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= to {
					return
				}
				e := payment(n, tickets, wins)
				began := time.Now()
				if err := b.Append(t.Context(), e); err != nil {
					t.Error(err)
					return
				}
				took[n-from] = time.Since(began)
			}
		})
	}
	group.Wait()
	return took
}

// BenchmarkAppend measures payments that are on disk: their tickets a second, and how
// long a caller waits.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct {
		name    string
		tickets int
		wins    bool
	}{{"one", 1, false}, {"hundred", 100, false}, {"winner", 1, true}} {
		b.Run(c.name, func(b *testing.B) {
			l := open(b, b.TempDir())
			b.ResetTimer()
			took := pay(b, l, 0, b.N, c.tickets, c.wins)
			b.StopTimer()
			slices.Sort(took)
			b.ReportMetric(float64(b.N*c.tickets)/b.Elapsed().Seconds(), "tickets/s")
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
			repairHeight(b, l.Reader)
		})
	}
}

// BenchmarkPaced measures how long callers wait for winners that come at a pace of
// 200 a second among 1000 payments a second of 5 tickets each.
func BenchmarkPaced(b *testing.B) {
	l := open(b, b.TempDir())
	took := make([]time.Duration, b.N)
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	var group sync.WaitGroup
	b.ResetTimer()
	for n := range b.N {
		<-ticker.C
		group.Go(func() {
			began := time.Now()
			if err := l.Append(b.Context(), payment(n, 5, n%5 == 0)); err != nil {
				b.Error(err)
			}
			took[n] = time.Since(began)
		})
	}
	group.Wait()
	b.StopTimer()
	slices.Sort(took)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "payments/s")
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// TestMemoryStaysFlat takes tickets for many rounds: what is over is put away, so that
// neither the memory nor the file grows. TUTTI_LEDGER_TICKETS makes it more of them.
func TestMemoryStaysFlat(t *testing.T) {
	onlyFile(t)
	tickets := 24_000
	if text := os.Getenv("TUTTI_LEDGER_TICKETS"); text != "" {
		var err error
		tickets, err = strconv.Atoi(text)
		must(t, err)
	}
	each := pm.Params{FaceValue: core.NewWei(1e15), WinProb: protocol.Word{0x01, 0x23}}
	dir := t.TempDir()
	b := open(t, dir)
	type mark struct{ heap, rss, file int64 }
	var marks []mark
	for n := 0; n < tickets; n += block {
		pay(t, b, n, n+block, 1, false)
		for _, i := range []int{0, ticketsPerSet} { // the block's accounts are done with
			owner := pm.Account{Sender: sender(byte(i)), Key: core.ManifestID("stream-" + strconv.Itoa(n/block*16+i))}
			b.Book(pm.Entries{Closings: []pm.Closing{{Account: owner, Left: each.EV().Times(block / 2),
				Round: protocol.Round(1 + n/block/10), At: start}}})
		}
		b.Expired(protocol.L1Block(10 + n/block - 1))
		must(t, b.Archive(t.Context(), protocol.Round(1+n/block/10)))
		marks = append(marks, mark{heap(), rss(t), fileSize(t, filepath.Join(dir, database.FileName))})
	}
	repairHeight(t, b.Reader)
	for i := 0; i < len(marks); i += max(1, len(marks)/10) {
		t.Logf("%8d tickets: heap %5.1f MiB, resident %6.1f MiB, file %6.1f MiB", (i+1)*block, mib(marks[i].heap),
			mib(marks[i].rss), mib(marks[i].file))
	}
	early, late := marks[len(marks)/2], marks[len(marks)-1]
	if grown := late.heap - early.heap; grown > 8<<20 {
		t.Errorf("the heap grew by %.1f MiB in the second half", mib(grown))
	}
}

func mib(n int64) float64 { return float64(n) / (1 << 20) }

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// rss is the process's resident memory, 0 where there is no way to ask.
func rss(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	must(t, err)
	return pages * int64(os.Getpagesize())
}

func fileSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	must(t, err)
	return info.Size()
}
