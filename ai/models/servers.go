package models

import (
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

// checkServers compares the entries of each server: a model without served_model must have its very
// name there if the server has others too, and two models with one name there are one.
func (l *loader) checkServers() {
	type server struct {
		url      string
		pipeline capability.ID
	}
	type served struct {
		server
		name string
	}
	of := func(d *draft) server { return server{d.entry.URL, d.entry.Model.Capability} }
	models := map[server]map[inference.Model]bool{}
	first := map[served]*draft{}
	for _, d := range l.drafts {
		if d.refused || d.entry.URL == "" {
			continue
		}
		if models[of(d)] == nil {
			models[of(d)] = map[inference.Model]bool{}
		}
		models[of(d)][d.entry.Model] = true
		at := served{of(d), d.entry.Served()}
		switch before, seen := first[at]; {
		case !seen:
			first[at] = d
		case before.entry.Model != d.entry.Model:
			d.noticeAt(d.given["served_model"], "served_model", quoted(at.name)+" is also "+
				before.entry.Model.String()+" of "+before.position.ref()+
				": the server answers both with one model, and gets the jobs of both")
		}
	}
	for _, d := range l.drafts {
		d.entry.Shared = d.entry.URL != "" && d.entry.ServedModel == "" && len(models[of(d)]) > 1
	}
}
