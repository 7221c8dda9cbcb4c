package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// How long a secret between nodes should be.
const secretStrong, secretWeak = 16, 8

func secretChecks() []Check {
	places := func(judge func([]SecretPlace) Seen) func(context.Context, *World) Seen {
		return about(func(w *World) Probe[[]SecretPlace] { return w.Secrets }, func(_ *World, all []SecretPlace) Seen { return judge(all) })
	}
	return []Check{
		{
			Name: "secrets.arguments", Group: GroupSecrets, Title: "no secret is on the command line",
			Warns: codes(fault.SecretInArguments), look: places(where("argument", fault.SecretInArguments)),
		},
		{
			Name: "secrets.environment", Group: GroupSecrets, Title: "no secret is in the environment",
			Warns: codes(fault.SecretInEnvironment), look: places(where("environment", fault.SecretInEnvironment)),
		},
		{
			Name: "secrets.files", Group: GroupSecrets, Title: "other users cannot read files with secrets",
			Fails: codes(fault.SecretFileWritable), Warns: codes(fault.SecretFileOpen), look: places(judgeSecretFiles),
		},
		{
			Name: "secrets.token", Group: GroupSecrets, Title: "the admin token is the owner's alone",
			Fails: codes(fault.AdminTokenFile), look: places(judgeToken),
		},
		{
			Name: "secrets.admin", Group: GroupSecrets, Title: "the admin port is for this machine alone",
			Fails: codes(fault.AdminTokenMissing), Warns: codes(fault.AdminExposed), look: func(_ context.Context, w *World) Seen {
				if w.Setup.AdminOpen {
					return found(fault.AdminExposed, w.Setup.AdminAt+" is open to other machines")
				}
				return fine(w.Setup.AdminAt)
			},
		},
		{
			Name: "secrets.workers", Group: GroupSecrets, Title: "the secret of workers cannot be guessed",
			Fails: codes(fault.SecretGuessable), Warns: codes(fault.SecretWeak), look: lookWorkerSecret,
		},
	}
}

func where(place string, code fault.Code) func([]SecretPlace) Seen {
	return func(all []SecretPlace) Seen {
		var options []string
		for _, p := range all {
			if !p.File && p.Where == place {
				options = append(options, "-"+p.Option)
			}
		}
		if len(options) > 0 {
			return found(code, strings.Join(options, ", "))
		}
		return fine("none")
	}
}

// tokenFile is the option of the admin token, which has a check of its own.
const tokenFile = "admin.token"

func judgeSecretFiles(all []SecretPlace) Seen {
	var s Seen
	var seen []string
	for _, p := range all {
		if !p.File || p.Option == tokenFile {
			continue
		}
		text := fmt.Sprintf("%s (-%s) has mode %04o", p.Where, p.Option, p.Mode)
		seen = append(seen, text)
		code := fault.SecretFileOpen
		switch {
		case p.Mode&0o022 != 0:
			code = fault.SecretFileWritable
		case p.Mode&0o044 == 0, p.Group && p.Mode&0o004 == 0:
			continue
		}
		s.Findings = append(s.Findings, Finding{Code: code, Detail: text})
		s.Repair = both(s.Repair, p.Repair)
	}
	s.Evidence = listed(seen, "no file with secrets is named")
	return s
}

// both combines two repairs.
func both(a, b *Repair) *Repair {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return &Repair{Do: a.Do + ", " + b.Do, Run: func(ctx context.Context) error {
		if err := a.Run(ctx); err != nil {
			return err
		}
		return b.Run(ctx)
	}}
}

func judgeToken(all []SecretPlace) Seen {
	for _, p := range all {
		if p.Option != tokenFile {
			continue
		}
		if p.Mode == 0 {
			return skip("the system has access lists instead of modes")
		}
		text := fmt.Sprintf("%s has mode %04o", p.Where, p.Mode)
		if p.Mode&0o077 != 0 {
			return Seen{Findings: []Finding{{Code: fault.AdminTokenFile, Detail: text}}, Repair: p.Repair}
		}
		return fine(text)
	}
	return skip("there is none yet; the node makes it at start")
}

func lookWorkerSecret(_ context.Context, w *World) Seen {
	n := w.Setup.WorkerSecret
	text := plural(n, "character")
	switch {
	case n == 0:
		return skip("no -orchSecret")
	case n < secretWeak:
		return found(fault.SecretGuessable, text)
	case n < secretStrong:
		return found(fault.SecretWeak, text)
	}
	return fine(text)
}
