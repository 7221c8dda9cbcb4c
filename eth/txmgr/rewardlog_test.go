package txmgr_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/eth/txmgr"
)

func openRewardLog(t *testing.T, dir string, orchestrator core.Address) *txmgr.RewardLog {
	t.Helper()
	db, err := database.Driver{Name: "sqlite3", Busy: func(error) bool { return false }}.Open(t.Context(), dir,
		func(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s, err := txmgr.OpenRewardLog(t.Context(), db, orchestrator)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRemembers(t *testing.T) {
	t.Parallel()
	dir, me := t.TempDir(), core.Address{1}
	s := openRewardLog(t, dir, me)
	for r := protocol.Round(1); r <= 40; r++ {
		p := protocol.PastReward{Round: r, Outcome: protocol.RewardCalled, Amount: core.LPTTokens(uint64(r)),
			Tx:   protocol.TxHash{byte(r)},
			Time: time.Unix(int64(r), 0)}
		if err := s.Save(t.Context(), p, 32); err != nil {
			t.Fatal(err)
		}
	}
	late := protocol.PastReward{Round: 39, Outcome: protocol.RewardMissed, Time: time.Unix(9, 0), Reason: "no gas"}
	if err := s.Save(t.Context(), late, 32); err != nil {
		t.Fatal(err)
	}
	got, err := openRewardLog(t, dir, me).Load(t.Context(), 100)
	if err != nil || len(got) != 33 || got[0].Round != 40 || got[0].Amount.Tokens() != "40" ||
		got[0].Tx != (protocol.TxHash{40}) || !got[0].Time.Equal(time.Unix(40, 0)) {
		t.Fatalf("%d rounds, the newest %+v, %v", len(got), got[0], err)
	}
	if got[1].Outcome != protocol.RewardMissed || got[1].Reason != "no gas" || got[len(got)-1].Round != 8 {
		t.Errorf("%+v … %+v", got[1], got[len(got)-1])
	}
	if other, err := openRewardLog(t, dir, core.Address{2}).Load(t.Context(), 100); err != nil || len(other) != 0 {
		t.Errorf("another orchestrator's: %v, %v", other, err)
	}
}
