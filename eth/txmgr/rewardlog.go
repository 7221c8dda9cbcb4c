package txmgr

import (
	"context"
	"database/sql"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

// RewardLog keeps the outcome of each round's reward of one orchestrator. It is the only
// copy, and for display only: whether a reward is due is always read from the chain.
// core/protocol writes it and shows it.
type RewardLog struct {
	db           *sql.DB
	orchestrator core.Address
}

func rewardTables() database.Tables {
	return database.Tables{Owner: "reward", Content: "rewards", Steps: []string{
		`CREATE TABLE reward_past (
			orchestrator BLOB NOT NULL,
			round        INTEGER NOT NULL,
			outcome      TEXT NOT NULL,
			amount       TEXT NOT NULL,
			tx           BLOB NOT NULL,
			at           INTEGER NOT NULL,
			reason       TEXT NOT NULL,
			PRIMARY KEY (orchestrator, round)
		) STRICT`,
	}}
}

// OpenRewardLog brings the table up to date. The database stays the caller's. Errors of all
// methods are the fault ChainCacheFailed.
func OpenRewardLog(ctx context.Context, db *sql.DB, orchestrator core.Address) (*RewardLog, error) {
	err := rewardTables().Migrate(ctx, db)
	return &RewardLog{db: db, orchestrator: orchestrator}, rewardLogFailed("open the log of rewards", err)
}

func rewardLogFailed(op string, err error) error {
	if err == nil {
		return nil
	}
	return fault.Wrap(fault.ChainCacheFailed, op, err)
}

// Load returns the last rounds, newest first.
func (s *RewardLog) Load(ctx context.Context, most int) (out []protocol.PastReward, err error) {
	rows, err := s.db.QueryContext(ctx,
		`SELECT round, outcome, amount, tx, at, reason FROM reward_past WHERE orchestrator = ? ORDER BY round DESC LIMIT ?`,
		s.orchestrator[:], most)
	if err != nil {
		return nil, rewardLogFailed("read the log of rewards", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		p, err := scanReward(rows)
		if err != nil {
			return nil, rewardLogFailed("read the log of rewards", err)
		}
		out = append(out, p)
	}
	return out, rewardLogFailed("read the log of rewards", rows.Err())
}

func scanReward(rows *sql.Rows) (p protocol.PastReward, err error) {
	var round, at int64
	var amount string
	var tx []byte
	if err := rows.Scan(&round, &p.Outcome, &amount, &tx, &at, &p.Reason); err != nil {
		return p, err
	}
	p.Round, p.Time = protocol.Round(round), time.Unix(0, at)
	copy(p.Tx[:], tx)
	p.Amount, err = core.ParseLPT(amount)
	return p, err
}

// Save writes one round, and forgets those that are older than keep rounds.
func (s *RewardLog) Save(ctx context.Context, p protocol.PastReward, keep protocol.Round) error {
	_, err := s.db.ExecContext(ctx, `INSERT INTO reward_past (orchestrator, round, outcome, amount, tx, at, reason)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET outcome = excluded.outcome, amount = excluded.amount, tx = excluded.tx,
			at = excluded.at, reason = excluded.reason`,
		s.orchestrator[:], int64(p.Round), string(p.Outcome), p.Amount.String(), p.Tx[:], p.Time.UnixNano(), p.Reason)
	if err == nil && p.Round > keep {
		_, err = s.db.ExecContext(ctx, `DELETE FROM reward_past WHERE orchestrator = ? AND round < ?`, s.orchestrator[:],
			int64(p.Round-keep))
	}
	return rewardLogFailed("write the log of rewards", err)
}
