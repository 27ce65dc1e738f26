SET SESSION sql_mode = '';
SET NAMES utf8mb4;
SET SESSION sql_log_bin = 0;
CREATE DATABASE IF NOT EXISTS `as``s_y%`;
DROP USER IF EXISTS ''@'localhost', 'root'@'%', 'root'@'127.0.0.1', 'root'@'::1';
CREATE USER IF NOT EXISTS 'o\'ne\\'@'%' IDENTIFIED WITH caching_sha2_password BY 'p\'; DROP DATABASE mysql; --\n\\\0"';
ALTER USER 'o\'ne\\'@'%' IDENTIFIED WITH caching_sha2_password BY 'p\'; DROP DATABASE mysql; --\n\\\0"';
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, CREATE VIEW ON `as``s\_y\%`.* TO 'o\'ne\\'@'%';
DROP USER IF EXISTS 'assay_settings'@'127.0.0.1';
