"""Programs: arithmetic that is recorded from functions of arrays (`symbols`, `recorder`, `program`), and the tasks that are written so (`term_task`); `given`
has those that ship."""
