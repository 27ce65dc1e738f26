SET SESSION sql_mode = '';
SET NAMES utf8mb4;
SET SESSION sql_log_bin = 0;
CREATE DATABASE IF NOT EXISTS `as``s_y%`;
CREATE USER IF NOT EXISTS 'o\'ne\\'@'%' IDENTIFIED WITH mysql_native_password BY 'p\'; DROP DATABASE mysql; --\n\\\0"';
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, INDEX, ALTER, CREATE VIEW ON `as``s_y%`.* TO 'o\'ne\\'@'%';
