package invariants

import (
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-bench/assay/api/v1alpha1"
	"github.com/assay-bench/assay/controllers/benchmarkrun/decision"
	"github.com/assay-bench/assay/internal/ground/contract"
	"github.com/assay-bench/assay/internal/record/integrity"
	"github.com/assay-bench/assay/internal/trial/journal"
)

// judge a write before it is done.
func (m *manager) judge(verb string, obj client.Object) {
	switch o := obj.(type) {
	case *batchv1.Job:
		switch verb {
		case "create":
			if !isPlaceholder(o) {
				m.judgeNewJob(o)
			}
		case "delete":
			m.judgeDeletedJob(o)
		}
	case *corev1.ConfigMap:
		if role := o.Labels[v1alpha1.LabelRole]; verb == "create" && role == v1alpha1.RoleResult {
			m.judgeNewResult(o)
		}
		if o.Labels[v1alpha1.LabelRole] == v1alpha1.RoleJournal && o.BinaryData[contract.KeyRecords] != nil {
			m.judgeRecords(verb, o)
		}
		if have := m.configMap(o.Name); verb == "create" && have != nil && decision.Begun(have) {
			m.begun[o.Name] = true
		}
		if next := o.Annotations[contract.AnnotationNext]; verb == "update" && next != "" {
			m.judgeNext(o, next)
		}
		if start := o.Data[contract.KeyStart]; verb == "update" && start != "" {
			m.judgeStart(o)
		}
	}
	if role := obj.GetLabels()[v1alpha1.LabelRole]; verb == "delete" && (role == v1alpha1.RoleResult || role == v1alpha1.RoleJournal) {
		m.t.Errorf("manager %s deletes %s", m.name, obj.GetName())
	}
}

// judgeNewJob: the results come first, the Job last; no Job in a pass that came upon a
// marked result; the journal before the next attempt.
func (m *manager) judgeNewJob(job *batchv1.Job) {
	have := &batchv1.Job{}
	if m.api.Get(m.t.Context(), client.ObjectKeyFromObject(job), have) == nil {
		return // it exists, so that nothing is created
	}
	// The trial of an execution that is over is deleted: a Job of an overtaken pass has none.
	if m.configMap(job.Name) == nil && job.Labels[v1alpha1.LabelStanding] != "" {
		return // those that stood are over as well: nobody tells its clients anything, and they are stopped
	}
	if m.configMap(job.Name) == nil && !m.over(job) {
		m.t.Errorf("manager %s creates Job %s before its trial", m.name, job.Name)
	}
	if trial := m.trialOf(job); trial != contract.NoTrial { // its clients end at once
		m.judgeBegin(trial, int(*job.Spec.Completions))
	}
}

// judgeNext: clients that stand are told of a trial as others are created for it, and of one trial at a time.
func (m *manager) judgeNext(cm *corev1.ConfigMap, next string) {
	have := m.configMap(cm.Name)
	if have == nil || have.ResourceVersion != cm.ResourceVersion {
		return // the lock refuses it
	}
	before := have.Annotations[contract.AnnotationNext]
	if before == next {
		m.t.Errorf("manager %s tells %s again what they know", m.name, cm.Name)
	}
	if at, is := positionOfTrial(m.cluster, before); is && !earlier(at, m.position()) && !m.run().HasFailed() && next != contract.NoTrial {
		m.t.Errorf("manager %s tells %s of %s, and the end of %s is not recorded", m.name, cm.Name, next, before)
	}
	if target, is := looksAt(m.cluster, before); is && next != contract.NoTrial {
		if run := m.run(); run.Status.Releases == 0 && run.TargetStatus(target).LoadResult == "" {
			m.t.Errorf("manager %s tells %s of %s, and what %s saw is not in the status", m.name, cm.Name, next, before)
		}
	}
	if next == contract.NoTrial {
		return
	}
	if m.configMap(next) == nil {
		m.t.Errorf("manager %s tells %s of %s before there is such a trial", m.name, cm.Name, next)
	}
	m.judgeBegin(next, m.run().ClientCount())
}

// judgeBegin: the results come first, and none is marked that this pass came upon; the journal is there.
func (m *manager) judgeBegin(trial string, clients int) {
	for i := range clients {
		out := m.configMap(contract.ResultName(trial, i))
		switch {
		case out == nil && !m.careless:
			m.t.Errorf("manager %s begins %s before result %d", m.name, trial, i)
		case m.begun[contract.ResultName(trial, i)]:
			m.t.Errorf("manager %s begins %s although it came upon the mark of client %d", m.name, trial, i)
		}
	}
	// A pass may be overtaken by another manager: then the clients refuse.
	if at, is := positionOfTrial(m.cluster, trial); is && (earlier(at, m.began) || earlier(m.position(), at)) {
		m.t.Errorf("manager %s begins trial %+v while the journal is at %+v, and was at %+v when the pass began", m.name, at, m.position(), m.began)
	}
}

// looksAt is the target at whose data an execution looks; it is none for a trial.
func looksAt(c *cluster, name string) (target string, is bool) {
	out := c.configMap(contract.ResultName(name, 0))
	if out == nil || out.Labels[v1alpha1.LabelPhase] != string(contract.PhasePrepare) {
		return "", false
	}
	return out.Labels[v1alpha1.LabelTarget], true
}

// positionOfTrial by its name, which its result knows.
func positionOfTrial(c *cluster, trial string) (journal.Position, bool) {
	if out := c.configMap(contract.ResultName(trial, 0)); out != nil {
		return positionOf(out)
	}
	return journal.Position{}, false
}

// over says whether the end of an attempt, or of a load, is written down. A load that failed has
// ended the run.
func (m *manager) over(job *batchv1.Job) bool {
	if at, is := positionOf(job); is {
		return earlier(at, m.position())
	}
	run := m.run()
	return run.Finished() || run.TargetStatus(job.Labels[v1alpha1.LabelTarget]).LoadResult != ""
}

// judgeNewResult: what decides a trial is recorded before there is a place for its result.
func (m *manager) judgeNewResult(cm *corev1.ConfigMap) {
	at, is := positionOf(cm)
	if next := m.position(); is && !earlier(at, next) && (next.Stopped || earlier(next, at)) {
		m.t.Errorf("manager %s makes room for the result of trial %+v, and the journal says that %+v follows", m.name, at, next)
	}
}

// judgeDeletedJob: only what is recorded is deleted.
func (m *manager) judgeDeletedJob(job *batchv1.Job) {
	run := m.run()
	at, is := positionOfTrial(m.cluster, m.trialOf(job))
	if !is || run.Finished() {
		return
	}
	if next := m.position(); !earlier(at, next) {
		m.t.Errorf("manager %s deletes Job %s, whose end is not recorded: the journal is at %+v", m.name, job.Name, next)
	}
}

// judgeStart: a start is published once, when every client is ready.
func (m *manager) judgeStart(cm *corev1.ConfigMap) {
	have := m.configMap(cm.Name)
	if have == nil || have.ResourceVersion != cm.ResourceVersion {
		return // the lock refuses it
	}
	if old := have.Data[contract.KeyStart]; old != "" {
		m.t.Errorf("manager %s publishes another start of %s", m.name, cm.Name)
	}
	for i := range 2 {
		if out := m.configMap(contract.ResultName(cm.Name, i)); out != nil && out.Annotations[v1alpha1.AnnotationReady] == "" {
			m.t.Errorf("manager %s starts %s before client %d is ready", m.name, cm.Name, i)
		}
	}
}

// judgeRecords: records are only added, in the order of the plan.
func (m *manager) judgeRecords(verb string, cm *corev1.ConfigMap) {
	have := m.configMap(cm.Name)
	switch {
	case have != nil && cm.ResourceVersion == "" && verb == "update":
		m.t.Errorf("manager %s writes records without a lock", m.name)
	case have != nil && have.ResourceVersion != cm.ResourceVersion:
		return // the lock refuses it, or the object exists
	}
	before, after := journal.Records{}, m.decode(cm)
	if have != nil {
		before = m.decode(have)
	}
	n := len(before.Records)
	if len(after.Records) != n+1 || cmp.Diff(before.Records, after.Records[:n], cmpopts.EquateEmpty()) != "" {
		m.t.Errorf("manager %s writes %d records over %d", m.name, len(after.Records), n)
		return
	}
	if links := m.run().Status.Integrity; links == nil || after.Records[n].Previous != links.Head {
		m.t.Errorf("manager %s adds a record behind %.12s, and the status that is saved says %+v", m.name, after.Records[n].Previous, links)
	}
	if rec, at := after.Records[n], before.Position(); rec.Index != at.Index || rec.Attempt != at.Attempt || at.Rate > 0 && rec.Rate != at.Rate {
		m.t.Errorf("manager %s records trial %d, attempt %d at %+v", m.name, rec.Index, rec.Attempt, before.Position())
	}
}

func (c *cluster) decode(cm *corev1.ConfigMap) journal.Records {
	r, err := journal.DecodeRecords(cm.BinaryData[contract.KeyRecords])
	c.must(err)
	return r
}

// records of the run, as the API server has them.
func (c *cluster) records() journal.Records {
	if cm := c.configMap(contract.RecordsName("run", 0)); cm != nil {
		return c.decode(cm)
	}
	return journal.Records{}
}

func (c *cluster) position() journal.Position { return c.records().Position() }

// earlier says whether an attempt comes before another.
func earlier(a, b journal.Position) bool {
	return a.Index < b.Index || a.Index == b.Index && a.Attempt < b.Attempt
}

// positionOf the Job of a trial, or of a result.
func positionOf(job client.Object) (at journal.Position, is bool) {
	index, err1 := strconv.Atoi(job.GetLabels()[v1alpha1.LabelTrial])
	attempt, err2 := strconv.Atoi(job.GetLabels()[v1alpha1.LabelAttempt])
	return journal.Position{Index: int32(index), Attempt: int32(attempt)}, err1 == nil && err2 == nil
}

// judgeChain: all that is stored is what the status vouches for, and no crash, stale cache or
// second manager was taken for tampering.
func (c *cluster) judgeChain(run *v1alpha1.BenchmarkRun) {
	if valid := apimeta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionValid); valid == nil || valid.Reason == v1alpha1.ReasonTampered {
		c.t.Errorf("the results are called tampered: %+v", valid)
	}
	found, err := integrity.Run(run, func(name string) (*corev1.ConfigMap, error) { return c.configMap(name), nil }, integrity.Scope{})
	c.must(err)
	if c.careless {
		found.Findings = slices.DeleteFunc(found.Findings, func(f integrity.Finding) bool { return f.Kind == integrity.Lost })
	}
	if run.Status.Integrity == nil || len(found.Findings) > 0 {
		c.t.Errorf("the chain of the run is broken: %+v, %v", run.Status.Integrity, found.Findings)
	}
}

// judgeEnd of a run: no trial is lost, none is measured twice.
func (c *cluster) judgeEnd() {
	run := c.run()
	var final []int32
	for _, rec := range c.records().Records {
		if rec.Final {
			final = append(final, rec.Index)
		}
	}
	var want []int32
	for i := range c.trialsOf(run) {
		want = append(want, i)
	}
	if c.capacity > 0 {
		c.judgeSearch(run)
	} else if !run.HasFailed() && !slices.Equal(final, want) {
		c.t.Errorf("the trials %v have ended, want %v", final, want)
	}
	if done := run.Status.Progress.Done; int(done) != len(final) {
		c.t.Errorf("the status counts %d trials, the journal %d", done, len(final))
	}
	c.judgeChain(run)
	for job, n := range c.toolStarts {
		// Somebody who deletes the results of a load deletes the claims on it, and it is loaded again.
		if again := c.careless && strings.HasSuffix(job, "-load"); n != 1 && !again {
			c.t.Errorf("the tool of %s was started %d times", job, n)
		}
	}
}
