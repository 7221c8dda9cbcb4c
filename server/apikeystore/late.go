package apikeystore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
)

const lateColumns = `id, period, start, used_before, used_after, paid_before, paid_after, usd_before, usd_after`

// HandOver makes the end of Run leave the requests in progress to Finish.
func (k *Authorizer) HandOver(context.Context) error {
	k.leaving.Store(true)
	return nil
}

// Finish passes on to the process that took over what requests in progress use, until wait returns that waits for
// them. It is called after a Run that ended with a handover, and closes everything. The error is that of wait, or
// KeyStoreFailed.
func (k *Authorizer) Finish(ctx context.Context, wait func(context.Context) error) error {
	done := make(chan error, 1)
	go func() { done <- wait(ctx) }()
	ticker := time.NewTicker(k.opt.Every)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			k.logChange(ctx, &k.saveErr, k.passOn(ctx),
				"counts of API keys cannot be passed on to the new process; it is tried again")
		case err := <-done:
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastSave)
			defer cancel()
			return errors.Join(err, k.passOn(last), k.close())
		}
	}
}

// passOn writes what changed for the new process. What could not be written is written with the next call.
func (k *Authorizer) passOn(ctx context.Context) error {
	k.late = append(k.late, k.TakeLate()...)
	if len(k.late) > 0 {
		if err := k.store.AddLate(ctx, k.late); err != nil {
			return err
		}
		k.late = nil
	}
	return k.saveSpend(ctx)
}

// takeLate counts what the previous process has passed on.
func (k *Authorizer) takeLate(ctx context.Context) error {
	list, err := k.store.TakeLate(ctx)
	if err == nil {
		k.Apply(list)
	}
	return err
}

// AddLate writes changes of counts for the process that has the counts, all or nothing.
func (s *Store) AddLate(ctx context.Context, list []apikeys.Late) error {
	return s.inTx(ctx, "pass on the counts of API keys", func(tx *sql.Tx) error {
		for i := range list {
			b, a := &list[i].Before, &list[i].After
			if _, err := tx.ExecContext(ctx, `INSERT INTO keys_late (`+lateColumns+`) VALUES (?,?,?,?,?,?,?,?,?)`, a.ID,
				string(a.Period), unix(a.Start), int64(b.Used+b.Reserved), int64(a.Used+a.Reserved), b.Paid.Add(b.Held).String(),
				a.Paid.Add(a.Held).String(), b.PaidUSD.Add(b.HeldUSD).String(), a.PaidUSD.Add(a.HeldUSD).String()); err != nil {
				return err
			}
		}
		return nil
	})
}

// TakeLate reads and deletes what AddLate wrote.
func (s *Store) TakeLate(ctx context.Context) (list []apikeys.Late, err error) {
	err = s.inTx(ctx, "take the counts of API keys over", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `DELETE FROM keys_late RETURNING `+lateColumns)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			l, err := scanLate(rows)
			if err != nil {
				return err
			}
			list = append(list, l)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err // nothing was deleted
	}
	return list, nil
}

func scanLate(rows *sql.Rows) (l apikeys.Late, err error) {
	var start int64
	var paid, usd [2]string
	b, a := &l.Before, &l.After
	if err = rows.Scan(&a.ID, &a.Period, &start, &b.Used, &a.Used, &paid[0], &paid[1], &usd[0], &usd[1]); err != nil {
		return l, err
	}
	a.Start = fromUnix(start)
	b.ID, b.Period, b.Start = a.ID, a.Period, a.Start
	return l, errors.Join(readAmount(&b.Paid, paid[0]), readAmount(&a.Paid, paid[1]), readAmount(&b.PaidUSD, usd[0]),
		readAmount(&a.PaidUSD, usd[1]))
}
