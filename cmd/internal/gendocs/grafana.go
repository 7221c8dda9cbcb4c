package main

import (
	"bytes"
	"encoding/json"
)

// The parts of Grafana's dashboard model that are used here.
type (
	dashboard struct {
		Title         string      `json:"title"`
		UID           string      `json:"uid"`
		Description   string      `json:"description"`
		Tags          []string    `json:"tags"`
		SchemaVersion int         `json:"schemaVersion"`
		Version       int         `json:"version"`
		Editable      bool        `json:"editable"`
		Refresh       string      `json:"refresh"`
		Time          timeRange   `json:"time"`
		Timezone      string      `json:"timezone"`
		Templating    templating  `json:"templating"`
		Annotations   annotations `json:"annotations"`
		Panels        []panel     `json:"panels"`
	}
	timeRange struct {
		From string `json:"from"`
		To   string `json:"to"`
	}
	templating struct {
		List []variable `json:"list"`
	}
	variable struct {
		Name       string     `json:"name"`
		Label      string     `json:"label"`
		Type       string     `json:"type"`
		Query      string     `json:"query"`
		Datasource *reference `json:"datasource,omitempty"`
		Refresh    int        `json:"refresh"`
		Multi      bool       `json:"multi"`
		IncludeAll bool       `json:"includeAll"`
		AllValue   string     `json:"allValue,omitempty"`
		Sort       int        `json:"sort"`
		Current    struct{}   `json:"current"`
		Hide       int        `json:"hide"`
	}
	annotations struct {
		List []any `json:"list"`
	}
	reference struct {
		Type string `json:"type"`
		UID  string `json:"uid"`
	}
	position struct {
		H int `json:"h"`
		W int `json:"w"`
		X int `json:"x"`
		Y int `json:"y"`
	}
	target struct {
		RefID        string     `json:"refId"`
		Datasource   *reference `json:"datasource"`
		Expr         string     `json:"expr"`
		LegendFormat string     `json:"legendFormat"`
		Instant      bool       `json:"instant,omitempty"`
		Format       string     `json:"format,omitempty"`
	}
	panel struct {
		ID          int         `json:"id"`
		Type        string      `json:"type"`
		Title       string      `json:"title"`
		Description string      `json:"description,omitempty"`
		GridPos     position    `json:"gridPos"`
		Datasource  *reference  `json:"datasource,omitempty"`
		Targets     []target    `json:"targets,omitempty"`
		FieldConfig *fields     `json:"fieldConfig,omitempty"`
		Options     *options    `json:"options,omitempty"`
		Collapsed   *bool       `json:"collapsed,omitempty"`
		Panels      *[]struct{} `json:"panels,omitempty"`
	}
	fields struct {
		Defaults  defaults `json:"defaults"`
		Overrides []any    `json:"overrides"`
	}
	defaults struct {
		Unit string   `json:"unit,omitempty"`
		Min  *float64 `json:"min,omitempty"`
	}
	options struct {
		ReduceOptions *reduce `json:"reduceOptions,omitempty"`
		Legend        *legend `json:"legend,omitempty"`
	}
	reduce struct {
		Calcs  []string `json:"calcs"`
		Values bool     `json:"values"`
	}
	legend struct {
		DisplayMode string `json:"displayMode"`
		Placement   string `json:"placement"`
		ShowLegend  bool   `json:"showLegend"`
	}
)

// The panels' kinds and the width of the grid.
const (
	stat  = "stat"
	graph = "timeseries"
	table = "table"
	width = 24
)

// source is the data source of every panel. Read-only.
var source = reference{Type: "prometheus", UID: "${datasource}"}

// dashboardFile is tutti-dashboard.json.
func dashboardFile() ([]byte, error) {
	d := dashboard{
		Title: "tutti", UID: "tutti-node", Tags: []string{"tutti"}, SchemaVersion: 39, Version: 1, Editable: true,
		Refresh:     "30s",
		Description: "Written by cmd/internal/gendocs (make docs).",
		Time:        timeRange{"now-6h", "now"}, Timezone: "browser", Annotations: annotations{List: []any{}},
		Templating: templating{List: []variable{
			{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus", Refresh: 1},
			{Name: "instance", Label: "Node", Type: "query", Query: "label_values(tutti_build_info, instance)",
				Datasource: &source, Refresh: 2,
				Multi: true, IncludeAll: true, AllValue: ".*", Sort: 1},
		}},
	}
	at := 0
	for _, r := range rows() {
		at = d.row(r, at)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(d)
	return b.Bytes(), err
}

// row lays a row's panels out from left to right, below y, and returns what is below
// them.
func (d *dashboard) row(r row, y int) int {
	open := false
	d.Panels = append(d.Panels,
		panel{ID: len(d.Panels) + 1, Type: "row", Title: r.title, GridPos: position{H: 1, W: width, Y: y}, Collapsed: &open,
			Panels: &[]struct{}{}})
	y++
	x, tallest := 0, 0
	for _, v := range r.views {
		w, h := v.size()
		if x+w > width {
			x, y, tallest = 0, y+tallest, 0
		}
		p := v.panel()
		p.ID, p.GridPos = len(d.Panels)+1, position{H: h, W: w, X: x, Y: y}
		d.Panels = append(d.Panels, p)
		x += w
		tallest = max(tallest, h)
	}
	return y + tallest
}
