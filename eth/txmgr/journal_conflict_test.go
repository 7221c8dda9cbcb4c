package txmgr_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// Two processes on one data directory give the same ID to different transactions:
// the second one is told, and what the first signed stays.
func TestWhatAnotherProcessWroteIsNotOverwritten(t *testing.T) {
	t.Parallel()
	again := txmgr.JournalAttempt{Hash: protocol.TxHash{1, 2}, Raw: []byte{8}, Signed: at}
	tests := map[string]func(*txmgr.Record){
		"nonce":           func(r *txmgr.Record) { r.Nonce++ },
		"once":            func(r *txmgr.Record) { r.Once = "b" },
		"call":            func(r *txmgr.Record) { r.Call.Input = []byte{7} },
		"whom":            func(r *txmgr.Record) { r.Call.Addr = common.Address{7} },
		"first attempt":   func(r *txmgr.Record) { r.Attempts[0].Hash[5]++ },
		"another attempt": func(r *txmgr.Record) { r.Attempts[1].Hash[5]++ },
	}
	for name, differs := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			a, _ := open(t, dir, 1)
			b, _ := open(t, dir, 1)
			one, two := record(1, "a"), record(1, "a")
			one.Attempts, two.Attempts = append(one.Attempts, again), append(two.Attempts, again)
			differs(&two)
			two.State, two.Settled = protocol.TxDropped, true
			put(t, a, one)
			err := b.Put(t.Context(), record(2, ""), two)
			if !errors.Is(err, fault.TxJournalFailed) || !strings.Contains(err.Error(), "another process") {
				t.Error(err)
			}
			if got := load(t, a); !reflect.DeepEqual(got, []txmgr.Record{one}) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// What Put said it could not write may be there all the same.
func TestTheSameMayBeWrittenAgain(t *testing.T) {
	t.Parallel()
	s, db := open(t, t.TempDir(), 1)
	r := ended(1, "a", protocol.TxFinal)
	put(t, s, r)
	put(t, s, r)
	if _, err := db.ExecContext(t.Context(), `UPDATE journal_attempt SET raw = x''`); err != nil {
		t.Fatal(err)
	}
	put(t, s, r)
	if got := load(t, s); len(got) != 1 || len(got[0].Attempts[0].Raw) != 0 {
		t.Errorf("%+v", got)
	}
}
