package doctorcmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

// askNode is how long the running node may take for all its answers.
const askNode = 3 * time.Second

// running asks the admin address for a node. That nothing listens there is no error:
// the node was not started yet.
func (in *inspection) running(ctx context.Context) (doctor.Running, error) {
	ctx, cancel := context.WithTimeout(ctx, askNode)
	defer cancel()
	r := doctor.Running{Mine: in.Version}
	client, err := in.client()
	if err != nil {
		return r, err
	}
	var n adminapi.Node
	switch err := client.Get(ctx, adminapi.PathNode, &n); {
	case err == nil:
	case noListener(err):
		return r, nil
	case errors.Is(err, fault.NodeUnreachable) || ctx.Err() != nil:
		r.Unreachable = "something listens at " + in.w.Setup.AdminAddr + " and does not answer"
		return r, nil
	default:
		r.Unreachable = "what answers at " + in.w.Setup.AdminAddr + " is no tutti: " + fault.ForOperator(err)
		return r, nil
	}
	if n.Network != in.cfg.Chain.Network {
		r.Unreachable = "another node, of network " + n.Network + ", answers at " + in.w.Setup.AdminAddr
		return r, nil
	}
	r.Up, r.Version = true, n.Version
	in.askMore(ctx, client, &r)
	return r, nil
}

// noListener reports whether there is no listener at all.
func noListener(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial" && !op.Timeout()
}

// client returns the admin API's, with the token that a node on another address asks for.
func (in *inspection) client() (*node.Client, error) {
	url := "unix:" + in.cfg.Addresses.AdminSocket
	if in.cfg.Addresses.AdminSocket == "" {
		at := in.cfg.Addresses.AdminListen
		if at.Host == "" || at.Host == "0.0.0.0" || at.Host == "::" {
			at.Host = "127.0.0.1"
		}
		url = "http://" + at.Addr()
	}
	return node.New(node.Options{URL: url, Token: func(context.Context, *node.Client) (string, error) {
		text, err := os.ReadFile(filepath.Join(in.cfg.Storage.DataDir, adminapi.TokenFile))
		return strings.TrimSpace(string(text)), err
	}})
}

// askMore reads what there is beyond the node's name; a part that this node has not is
// left out.
func (in *inspection) askMore(ctx context.Context, client *node.Client, r *doctor.Running) {
	var c adminapi.Conditions
	if client.Get(ctx, adminapi.PathConditions, &c) == nil {
		for _, one := range c.Conditions {
			if one.HiddenBy != "" {
				continue
			}
			detail := one.Detail
			if one.About != "" {
				detail = one.About + ": " + detail
			}
			r.Conditions = append(r.Conditions, doctor.Finding{Code: fault.Code(one.Code), Detail: detail})
		}
	}
	var w adminapi.Workers
	if client.Get(ctx, adminapi.PathWorkers, &w) == nil {
		for _, one := range w.Workers {
			r.Sessions += one.Sessions
			r.Workers = append(r.Workers, one.Name+" is "+one.State)
		}
	}
	var s adminapi.Settings
	if client.Get(ctx, adminapi.PathSettings, &s) == nil {
		r.Limit, _ = s.MaxSessions.Number()
	}
	var reward adminapi.Reward
	if client.Get(ctx, adminapi.PathReward, &reward) == nil && reward.State != "" {
		r.Reward = fmt.Sprintf("reward is %s in round %d", reward.State, reward.Round)
	}
}
