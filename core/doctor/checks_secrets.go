package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// How long a secret between nodes should be.
const minSecretLength, secretWeak = 16, 8

func secretChecks() []Check {
	places := func(check func([]SecretLocation) Observation) func(context.Context, *World) Observation {
		return probeCheck(func(w *World) Probe[[]SecretLocation] { return w.Secrets },
			func(_ *World, all []SecretLocation) Observation { return check(all) })
	}
	return []Check{
		{
			Name: "secrets.arguments", Group: GroupSecrets, Title: "no secret is on the command line",
			Warns: codes(fault.SecretInArguments), run: places(where("argument", fault.SecretInArguments)),
		},
		{
			Name: "secrets.environment", Group: GroupSecrets, Title: "no secret is in the environment",
			Warns: codes(fault.SecretInEnvironment), run: places(where("environment", fault.SecretInEnvironment)),
		},
		{
			Name: "secrets.files", Group: GroupSecrets, Title: "other users cannot read files with secrets",
			Fails: codes(fault.SecretFileWritable), Warns: codes(fault.SecretFileOpen), run: places(checkSecretFiles),
		},
		{
			Name: "secrets.token", Group: GroupSecrets, Title: "the admin token is the owner's alone",
			Fails: codes(fault.AdminTokenFile), run: places(checkToken),
		},
		{
			Name: "secrets.admin", Group: GroupSecrets, Title: "the admin port is for this machine alone",
			Fails: codes(fault.AdminTokenMissing), Warns: codes(fault.AdminExposed),
			run: func(_ context.Context, w *World) Observation {
				if w.Setup.AdminOpen {
					return finding(fault.AdminExposed, w.Setup.AdminAddr+" is open to other machines")
				}
				return pass(w.Setup.AdminAddr)
			},
		},
		{
			Name: "secrets.workers", Group: GroupSecrets, Title: "the secret of workers cannot be guessed",
			Fails: codes(fault.SecretGuessable), Warns: codes(fault.SecretWeak), run: checkWorkerSecret,
		},
	}
}

func where(place string, code fault.Code) func([]SecretLocation) Observation {
	return func(all []SecretLocation) Observation {
		var options []string
		for _, p := range all {
			if !p.File && p.Where == place {
				options = append(options, "-"+p.Option)
			}
		}
		if len(options) > 0 {
			return finding(code, strings.Join(options, ", "))
		}
		return pass("none")
	}
}

// tokenFile is the option of the admin token, which has a check of its own.
const tokenFile = "admin.token"

func checkSecretFiles(all []SecretLocation) Observation {
	var s Observation
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

func checkToken(all []SecretLocation) Observation {
	for _, p := range all {
		if p.Option != tokenFile {
			continue
		}
		if p.Mode == 0 {
			return skip("the system has access lists instead of modes")
		}
		text := fmt.Sprintf("%s has mode %04o", p.Where, p.Mode)
		if p.Mode&0o077 != 0 {
			return Observation{Findings: []Finding{{Code: fault.AdminTokenFile, Detail: text}}, Repair: p.Repair}
		}
		return pass(text)
	}
	return skip("there is none yet; the node makes it at start")
}

func checkWorkerSecret(_ context.Context, w *World) Observation {
	n := w.Setup.WorkerSecret
	text := plural(n, "character")
	switch {
	case n == 0:
		return skip("no -orchSecret")
	case n < secretWeak:
		return finding(fault.SecretGuessable, text)
	case n < minSecretLength:
		return finding(fault.SecretWeak, text)
	}
	return pass(text)
}
