-- +goose Up
-- Rounds of the applier kept private keys in plain text: what a renewal replaced, and what
-- a deletion removed. Nothing of such a file is kept any more.
update applies set files = (
	select coalesce(jsonb_agg(case when f ->> 'path' like '%.pem' or f ->> 'path' like '%logins.map' or f ->> 'diff' like '%PRIVATE KEY%'
		then f || '{"diff": "(content not shown: it holds secrets)\n"}' else f end), '[]')
	from jsonb_array_elements(files) f
) where component in ('cert', 'proxy') and files::text ~ '\.pem"|logins\.map"|PRIVATE KEY';

-- +goose Down
